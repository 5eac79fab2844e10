"""Pairs of graphs in padded blocks, the form in which they are matched, and numbers that decide
between nodes that look alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, Padding, SparseOperator, buckets_of_pairs, from_blocks, to_blocks
from smixup.memory import require_room

NEVER = -1e9
"""The score of what cannot be."""
NEGLIGIBLE = 1e-10
"""Entries of M that are dropped: their products would be denormal numbers, hence slow."""
NODES_AT_ONCE = 2**12
SMALL = 256
"""Nodes of graphs whose tie breaks are kept."""
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
    def of(cls, left: Graphs, right: Graphs, groups: Sequence[Tensor] | None = None) -> Pairs:
        """Pair two batches of equal length; `groups`, if given, are index tensors that partition
        the pairs.
        """
        require_pairs(left, right)
        if groups is None:
            groups = buckets_of_pairs(left.sizes, right.sizes)
        rows, columns = Padding.of(left.ptr, groups), Padding.of(right.ptr, groups)
        return cls(left, right, tuple(groups), rows, columns)

    @property
    def x(self) -> Tensor:
        """Features of the nodes of all 2B graphs, left ones first, `[n1 + n2, d]`."""
        return torch.cat([self.left.x, self.right.x])

    @cached_property
    def adj(self) -> SparseOperator:
        """Edges within all graphs, left ones first, `[n1 + n2, n1 + n2]`."""
        return SparseOperator.stack([self.left.adj, self.right.adj])

    @cached_property
    def ptr(self) -> Tensor:
        """Where the nodes of each graph begin, left graphs first, `[2B + 1]`."""
        return torch.cat([self.left.ptr, self.right.ptr[1:] + self.left.num_nodes])

    def pad(self, h: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return `h [n1 + n2, ...]`, left graphs first, bucket by bucket as `[b, N1, ...]` and
        `[b, N2, ...]`; empty slots are zero.
        """
        h1, h2 = h.split([self.left.num_nodes, self.right.num_nodes])
        return list(zip(self.rows.pad(h1), self.columns.pad(h2), strict=True))

    def unpad(self, blocks: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Undo `pad`."""
        left, right = zip(*blocks, strict=True)
        return torch.cat([self.rows.unpad(left), self.columns.unpad(right)])

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
            yield Pairs.of(self.left[chosen], self.right[chosen], within)

    def blocks(self) -> Iterator[PairBlock]:
        """Go through the pairs bucket by bucket, in tables of all their cells; graphs that are too
        large for that are refused.
        """
        nodes = max((self.left.sizes + self.right.sizes).tolist(), default=0)
        require_room(
            BYTES_PER_CELL * nodes**2,
            f"matching two graphs that have {nodes:,} nodes together, as a table of all cells,",
            "leave such graphs out, or take GraphMatcher() or SiameseMatcher(), which compare only "
            "the nearest nodes of large graphs",
        )
        parts = [
            (padding.pad(graphs.x), to_blocks(graphs.adj, padding, padding), padding.masks())
            for graphs, padding in ((self.left, self.rows), (self.right, self.columns))
        ]
        for block in zip(*parts[0], *parts[1], self.groups, strict=True):
            yield PairBlock(*block)

    def assigned(self, blocks: Iterable[Tensor]) -> SparseOperator:
        """Return assignments `[b, N1, N2]`, one tensor per bucket, as one sparse map from right to
        left nodes.
        """
        return from_blocks(blocks, self.rows, self.columns)


def require_pairs(left: Graphs, right: Graphs) -> None:
    """Refuse what is not `Graphs`, and graphs without a partner."""
    for side in (left, right):
        if not isinstance(side, Graphs):
            raise SmixupError(
                f"a matcher is called with Graphs, not with {type(side).__name__}: "
                "use matcher.match(data1, data2) for graphs of PyG."
            )
    if len(left) != len(right):
        raise ValueError(
            f"a pair has two sides: {len(left)} graphs on the left, {len(right)} on the right"
        )


def tie_break(i: Tensor, j: Tensor) -> Tensor:
    """Return for each cell `(i, j)` of a pair a number that looks drawn from a normal distribution.

    It depends on the cell's place in the pair alone, not on the pairs that happen to be matched
    beside it: M of a pair is always the same.
    """
    z = i * 0x9E3779B1 + j * 0x85EBCA77 + 0xC2B2AE3D
    for factor in (0x2545F4914F6CDD1D, 0x5851F42D4C957F2D):
        z = (z ^ (z >> 31)) * factor  # overflow is what mixes the bits
    uniform = (((z >> 20) & 0xFFFFFF).double() + 0.5) / 2**24
    normal: Tensor = torch.special.ndtri(uniform)
    return normal.float()


def tie_breaks(n1: int, n2: int) -> Tensor:
    """Return the numbers of all cells `[n1, n2]`."""
    return _small_table()[:n1, :n2] if max(n1, n2) <= SMALL else _table(n1, n2)


def _table(n1: int, n2: int) -> Tensor:
    return tie_break(torch.arange(n1).unsqueeze(1), torch.arange(n2))


@cache
def _small_table() -> Tensor:
    return _table(SMALL, SMALL)
