"""Pairs of graphs in padded blocks: the form in which they are matched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, Padding, SparseOperator, buckets_of_pairs, from_blocks
from smixup.graphs.padding import padded_graphs
from smixup.memory import require_room

NEVER = -1e9
"""The score of what cannot be."""
NEGLIGIBLE = 1e-10
"""Entries of M that are dropped: their products would be denormal numbers, hence slow."""
NODES_AT_ONCE = 2**12
BYTES_PER_CELL = 16
"""What a solver holds at the same time for each cell of the two graphs and of their pair."""


@dataclass(frozen=True)
class PairBlock:
    """`b` pairs of similar size, padded to N1 and N2 nodes; empty slots are zero."""

    x1: Tensor  # [b, N1, d]
    A1: Tensor  # [b, N1, N1]
    mask1: Tensor  # [b, N1], which slots hold a node
    x2: Tensor
    A2: Tensor
    mask2: Tensor
    pairs: Tensor  # [b], the position of each pair among all pairs

    @property
    def mask(self) -> Tensor:
        """Which cells of an assignment exist, `[b, N1, N2]`."""
        return self.mask1.unsqueeze(2) & self.mask2.unsqueeze(1)


@dataclass(frozen=True)
class Pairs:
    """The i-th graph of `left` beside the i-th graph of `right`, bucketed by size."""

    left: Graphs
    right: Graphs
    groups: tuple[Tensor, ...]
    rows: Padding
    columns: Padding

    @classmethod
    def of(cls, left: Graphs, right: Graphs) -> Pairs:
        """Pair two batches of equal length."""
        require_pairs(left, right)
        return cls.grouped(left, right, buckets_of_pairs(left.sizes, right.sizes))

    @classmethod
    def grouped(cls, left: Graphs, right: Graphs, groups: Sequence[Tensor]) -> Pairs:
        """Pair two batches of equal length in buckets of one's own choice: index tensors that
        partition the pairs.
        """
        rows, columns = Padding.of(left.ptr, groups), Padding.of(right.ptr, groups)
        return cls(left, right, tuple(groups), rows, columns)

    @property
    def x(self) -> Tensor:
        """Features of the nodes of all 2B graphs, left ones first, `[n1 + n2, d]`."""
        return torch.cat([self.left.x, self.right.x])

    @cached_property
    def adj(self) -> SparseOperator:
        """Edges within all graphs, left ones first, `[n1 + n2, n1 + n2]`."""
        return SparseOperator.stack([side.adj for side in (self.left, self.right)])

    @cached_property
    def ptr(self) -> Tensor:
        """Where the nodes of each graph begin, left graphs first, `[2B + 1]`."""
        return torch.cat([self.left.ptr, self.right.ptr[1:] + self.left.num_nodes])

    def pad(self, h: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return `h [n1 + n2, ...]`, left graphs first, bucket by bucket as `[b, N1, ...]` and
        `[b, N2, ...]`; what stands in empty slots is arbitrary but finite.
        """
        blocks = self._sides.pad(h)
        return list(zip(blocks[: len(self.groups)], blocks[len(self.groups) :], strict=True))

    def unpad(self, blocks: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Undo `pad`."""
        return self._sides.unpad([block for side in zip(*blocks, strict=True) for block in side])

    @cached_property
    def _sides(self) -> Padding:
        """The blocks of all left graphs, then those of all right ones."""
        rows, columns = self.rows, self.columns
        return Padding(
            rows.shapes + columns.shapes,
            torch.cat([rows.index, columns.index + rows.num_nodes]),
            torch.cat([rows.mask, columns.mask]),
            torch.cat([rows.slot, columns.slot + rows.index.numel()]),
        )

    def parts(self, nodes: int = NODES_AT_ONCE) -> Iterator[Pairs]:
        """Go through the buckets in order, as many at a time as have `nodes` nodes together, or a
        single one: what a network computes of them fits into a processor's cache.
        """
        sizes = self.left.sizes + self.right.sizes
        runs, total = list[list[Tensor]](), 0
        for group in self.groups:
            cost = int(sizes[group].sum())
            if not runs or total + cost > nodes:
                runs.append([])
                total = 0
            runs[-1].append(group)
            total += cost
        for groups in runs:
            chosen = torch.cat(groups)
            places = torch.arange(chosen.numel(), device=chosen.device)
            within = places.split([group.numel() for group in groups])
            yield Pairs.grouped(self.left[chosen], self.right[chosen], within)

    def blocks(self) -> Iterator[PairBlock]:
        """Go through the pairs bucket by bucket, in tables of all their cells; graphs that are too
        large for that are refused.
        """
        self._require_room()
        left, right = padded_graphs(self.left, self.rows), padded_graphs(self.right, self.columns)
        sides = zip(left, right, strict=True)
        for pairs, ((x1, A1, mask1), (x2, A2, mask2)) in zip(self.groups, sides, strict=True):
            yield PairBlock(x1, A1, mask1, x2, A2, mask2, pairs)

    def _require_room(self) -> None:
        """Refuse a pair that would not fit into memory as tables, with what it would need."""
        if len(self.left) == 0:
            return
        need = (self.left.sizes + self.right.sizes).double().square() * BYTES_PER_CELL
        pair = int(need.argmax())
        (a, n1), (b, n2) = (
            (int(side.ids[pair]), int(side.sizes[pair])) for side in (self.left, self.right)
        )
        require_room(
            float(need[pair]),
            f"matching graphs {a} and {b}, of {n1:,} and {n2:,} nodes, as a table of all cells",
            "leave such graphs out, or take GraphMatcher() or SiameseMatcher(), which compare only "
            "the nearest nodes of large graphs",
        )

    def assigned(self, blocks: Iterable[Tensor]) -> SparseOperator:
        """Return assignments `[b, N1, N2]`, one tensor per bucket, as one sparse map from right to
        left nodes.
        """
        return from_blocks(blocks, self.rows, self.columns)


def require_pairs(left: object, right: object) -> None:
    """Refuse what is not `Graphs`, and graphs without a partner."""
    if not (isinstance(left, Graphs) and isinstance(right, Graphs)):
        kind = type(right if isinstance(left, Graphs) else left).__name__
        raise SmixupError(
            f"a matcher is called with Graphs, not with {kind}: "
            "use matcher.match(data1, data2) for graphs of PyG."
        )
    if len(left) != len(right):
        raise ValueError(
            f"a pair has two sides: {len(left)} graphs on the left, {len(right)} on the right"
        )
