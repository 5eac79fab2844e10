"""Pairs of graphs in padded blocks: the form in which they are matched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, Padding, buckets_of_pairs
from smixup.graphs.blocks import padded_graphs


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
        require_graphs(left, right)
        if len(left) != len(right):
            raise ValueError(
                f"a pair has two sides: {len(left)} graphs on the left, {len(right)} on the right"
            )
        groups = buckets_of_pairs(left.sizes, right.sizes)
        return cls(
            left, right, tuple(groups), Padding.of(left.ptr, groups), Padding.of(right.ptr, groups)
        )

    def blocks(self) -> Iterator[PairBlock]:
        """Go through the pairs bucket by bucket."""
        left, right = padded_graphs(self.left, self.rows), padded_graphs(self.right, self.columns)
        sides = zip(left, right, strict=True)
        for pairs, ((x1, A1, mask1), (x2, A2, mask2)) in zip(self.groups, sides, strict=True):
            yield PairBlock(x1, A1, mask1, x2, A2, mask2, pairs)

    def masks(self) -> list[Tensor]:
        """Return which cells of an assignment exist, bucket by bucket `[b, N1, N2]`."""
        sides = zip(self.rows.masks(), self.columns.masks(), strict=True)
        return [mask1.unsqueeze(2) & mask2.unsqueeze(1) for mask1, mask2 in sides]

    def operator(self, blocks: list[Tensor]) -> BlockOperator:
        """Return assignments `[b, N1, N2]`, one tensor per bucket, as one operator from right to
        left nodes.
        """
        return BlockOperator(tuple(blocks), self.rows, self.columns)


def require_graphs(*sides: object) -> None:
    """Refuse what is not `Graphs`."""
    for side in sides:
        if not isinstance(side, Graphs):
            raise SmixupError(
                f"a matcher is called with Graphs, not with {type(side).__name__}: "
                "use matcher.match(data1, data2) for graphs of PyG."
            )
