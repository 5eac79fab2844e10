"""Pairs of graphs in padded blocks: the form in which they are matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, Padding, SparseOperator, buckets_of_pairs
from smixup.graphs.blocks import padded_graphs
from smixup.matching.twins import COUNT, Merged, merge_twins
from smixup.memory import require_room

NODES_AT_ONCE = 2**12
BYTES_PER_CELL = 16
"""What a solver holds at the same time for each cell of the two graphs and of their pair."""


@dataclass(frozen=True)
class PairBlock:
    """`b` pairs of similar size, padded to N1 and N2 nodes.

    Attributes:
        x1, x2: node features `[b, N1, d]`, `[b, N2, d]`, zero in empty slots.
        A1, A2: adjacencies `[b, N1, N1]`, `[b, N2, N2]`, zero in empty slots.
        mask1, mask2: which slots hold a node, `[b, N1]`, `[b, N2]`.
        pairs: `[b]`, the position of each pair among all pairs.
    """

    x1: Tensor
    A1: Tensor
    mask1: Tensor
    x2: Tensor
    A2: Tensor
    mask2: Tensor
    pairs: Tensor

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
        return SparseOperator.stack([side.adj.to_sparse() for side in (self.left, self.right)])

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
        """Go through the buckets in order, a few at a time: as many as have no more than `nodes`
        nodes together, or a single one.

        By default what a network computes of a part fits into a processor's cache.
        """
        sizes = self.left.sizes + self.right.sizes
        held, count = list[Tensor](), 0
        for group in self.groups:
            if held and count + int(sizes[group].sum()) > nodes:
                yield self._part(held)
                held, count = [], 0
            held.append(group)
            count += int(sizes[group].sum())
        if held:
            yield self._part(held)

    def _part(self, groups: list[Tensor]) -> Pairs:
        chosen = torch.cat(groups)
        left, right = self.left[chosen], self.right[chosen]
        places = torch.arange(chosen.numel(), device=chosen.device)
        groups = list(places.split([group.numel() for group in groups]))
        return Pairs.grouped(left, right, groups)

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
        sizes1, sizes2 = self.left.sizes.double(), self.right.sizes.double()
        need = (sizes1 + sizes2).square() * BYTES_PER_CELL
        if len(need) == 0:
            return
        pair = int(need.argmax())
        ids, nodes = (self.left.ids, self.right.ids), (sizes1, sizes2)
        (a, b), (n1, n2) = (tuple(int(each[pair]) for each in side) for side in (ids, nodes))
        require_room(
            float(need[pair]),
            f"matching graphs {a} and {b}, of {n1:,} and {n2:,} nodes, as a table of all cells",
            "leave such graphs out, or take GraphMatcher() or SiameseMatcher(), which compare only "
            "the nearest nodes of large graphs",
        )

    def masks(self) -> list[Tensor]:
        """Return which cells of an assignment exist, bucket by bucket `[b, N1, N2]`."""
        sides = zip(self.rows.masks(), self.columns.masks(), strict=True)
        return [mask1.unsqueeze(2) & mask2.unsqueeze(1) for mask1, mask2 in sides]

    def counts(self) -> list[tuple[Tensor, Tensor]]:
        """Return how many nodes each slot stands for, bucket by bucket `[b, N1]` and `[b, N2]`:
        one, zero if it is empty, or the number of its twins.
        """
        sides = (self.left, self.rows), (self.right, self.columns)
        return list(zip(*(_counts(*side) for side in sides), strict=True))

    def operator(self, blocks: list[Tensor]) -> BlockOperator:
        """Return assignments `[b, N1, N2]`, one tensor per bucket, as one operator from right to
        left nodes.
        """
        return BlockOperator(tuple(blocks), self.rows, self.columns)


def _counts(graphs: Graphs, padding: Padding) -> list[Tensor]:
    twins = graphs.node_attrs.get(COUNT)
    if twins is None:
        return [mask.float() for mask in padding.masks()]
    counts = zip(padding.pad(twins.unsqueeze(1)), padding.masks(), strict=True)
    return [count.squeeze(2) * mask for count, mask in counts]


def merged_pairs(pairs: Pairs, rounds: int) -> tuple[Pairs, Tensor | None]:
    """Return pairs with one node for all that a network of so many layers cannot tell apart, and
    the place of every node's colour among theirs, `[n1 + n2]`.

    Pairs of small graphs stay as they are, with None.
    """
    left, right = (merge_twins(side, rounds) for side in (pairs.left, pairs.right))
    if left is None and right is None:
        return pairs, None
    sides = [
        Merged.unchanged(side) if merged is None else merged
        for side, merged in ((pairs.left, left), (pairs.right, right))
    ]
    first, second = sides
    of_node = torch.cat([first.of_node, second.of_node + first.graphs.num_nodes])
    return Pairs.of(first.graphs, second.graphs), of_node


def require_pairs(left: object, right: object) -> None:
    """Refuse what is not `Graphs`, and graphs without a partner."""
    require_graphs(left, right)
    assert isinstance(left, Graphs) and isinstance(right, Graphs)
    if len(left) != len(right):
        raise ValueError(
            f"a pair has two sides: {len(left)} graphs on the left, {len(right)} on the right"
        )


def require_graphs(*sides: object) -> None:
    """Refuse what is not `Graphs`."""
    for side in sides:
        if not isinstance(side, Graphs):
            raise SmixupError(
                f"a matcher is called with Graphs, not with {type(side).__name__}: "
                "use matcher.match(data1, data2) for graphs of PyG."
            )
