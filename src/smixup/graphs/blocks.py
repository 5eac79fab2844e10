"""The operator of mixed graphs: dense blocks, padded and bucketed by size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.graphs.bundle import Bundle
from smixup.graphs.graphs import Graphs
from smixup.graphs.operator import Operator
from smixup.graphs.padding import Padding
from smixup.graphs.ragged import offsets
from smixup.graphs.sparse import SparseOperator


@dataclass(frozen=True)
class BlockOperator(Operator):
    """One dense `[N1, N2]` block per graph or pair, zero in padded rows and columns.

    Attributes:
        blocks: a tensor `[b, N1, N2]` per size bucket.
        rows: where the nodes of the output lie in the blocks' rows.
        columns: where the nodes of the input lie in the blocks' columns.
        symmetric: whether the map is known to equal its transpose.
    """

    blocks: tuple[Tensor, ...]
    rows: Padding
    columns: Padding
    symmetric: bool = False

    @classmethod
    def from_sparse(
        cls, operator: SparseOperator, rows: Padding, columns: Padding
    ) -> BlockOperator:
        """Write the entries of a block-diagonal sparse operator into dense blocks."""
        shapes = zip(rows.shapes, columns.shapes, strict=True)
        flat = operator.weight.new_zeros(sum(b * n1 * n2 for (b, n1), (_, n2) in shapes))
        flat[cells(operator.row, operator.column, rows, columns)] = operator.weight
        return cls(_views(flat, rows, columns), rows, columns)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.num_nodes, self.columns.num_nodes

    @property
    def T(self) -> BlockOperator:
        return BlockOperator(
            tuple(block.transpose(1, 2) for block in self.blocks), self.columns, self.rows
        )

    def product(self, h: Tensor) -> Tensor:
        padded = self.columns.pad(h)
        return self.rows.unpad(
            [block.to(h.dtype) @ part for block, part in zip(self.blocks, padded, strict=True)]
        )

    def __rmul__(self, scale: Tensor) -> BlockOperator:
        return self._with(
            [
                s * block
                for block, s in zip(self.blocks, self.rows.pad(scale.unsqueeze(1)), strict=True)
            ]
        )

    def conjugated(self, scale: Tensor) -> BlockOperator:
        scales = self.rows.pad(scale.unsqueeze(1))
        return self._with(
            [
                (s * block).mul_(s.transpose(1, 2))
                for block, s in zip(self.blocks, scales, strict=True)
            ]
        )

    def __add__(self, other: Operator) -> Operator:
        """Add block by block; a sparse adjacency of the same graphs is written into the blocks."""
        if isinstance(other, SparseOperator):
            flat = torch.cat([block.flatten() for block in self.blocks])
            flat[cells(other.row, other.column, self.rows, self.columns)] += other.weight
            return self._with(_views(flat, self.rows, self.columns))
        if not isinstance(other, BlockOperator):
            return super().__add__(other)
        return self._with([a + b for a, b in zip(self.blocks, other.blocks, strict=True)])

    def compose(self, other: Operator) -> Operator:
        """Multiply block by block; a sparse adjacency of the graphs behind the columns is padded
        first.
        """
        if isinstance(other, SparseOperator) and other.weight.dim() > 1:
            return Bundle(tuple(self.compose(each) for each in other.unbind()))
        if isinstance(other, SparseOperator):
            other = BlockOperator.from_sparse(other, self.columns, self.columns)
        if not isinstance(other, BlockOperator):
            return super().compose(other)
        blocks = tuple(a @ b for a, b in zip(self.blocks, other.blocks, strict=True))
        return BlockOperator(blocks, self.rows, other.columns)

    def symmetrised(self) -> BlockOperator:
        return replace(
            self._with([(block + block.transpose(1, 2)) / 2 for block in self.blocks]),
            symmetric=True,
        )

    def without_small(self, threshold: float) -> BlockOperator:
        cleared = self._with(
            [torch.where(block.abs() < threshold, 0.0, block) for block in self.blocks]
        )
        return replace(cleared, symmetric=self.symmetric)

    def without_loops(self) -> BlockOperator:
        blocks = tuple(block.clone() for block in self.blocks)
        for block in blocks:
            block.diagonal(dim1=1, dim2=2).zero_()
        return self._with(blocks)

    def to_sparse(self) -> SparseOperator:
        row, column, weight = [], [], []
        for block, index1, index2 in zip(
            self.blocks,
            self.rows.split(self.rows.index),
            self.columns.split(self.columns.index),
            strict=True,
        ):
            pair, i, j = block.nonzero(as_tuple=True)
            row.append(index1[pair, i])
            column.append(index2[pair, j])
            weight.append(block[pair, i, j])
        entries = SparseOperator.from_entries(
            torch.cat(row), torch.cat(column), torch.cat(weight), self.shape
        )
        return replace(entries, symmetric=self.symmetric)

    def _with(self, blocks: Sequence[Tensor]) -> BlockOperator:
        return BlockOperator(tuple(blocks), self.rows, self.columns)


def padded_graphs(graphs: Graphs, padding: Padding) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Yield features `[b, N, d]`, adjacency `[b, N, N]` and mask `[b, N]` of every block.

    Empty slots hold zeros.
    """
    adjacency = BlockOperator.from_sparse(graphs.adj.to_sparse(), padding, padding)
    for x, A, mask in zip(padding.pad(graphs.x), adjacency.blocks, padding.masks(), strict=True):
        yield torch.where(mask.unsqueeze(2), x, 0.0), A, mask


def _views(flat: Tensor, rows: Padding, columns: Padding) -> tuple[Tensor, ...]:
    """View the concatenated cells of all blocks as `[b, N1, N2]`."""
    shapes = [(b, n1, n2) for (b, n1), (_, n2) in zip(rows.shapes, columns.shapes, strict=True)]
    pieces = torch.split(flat, [b * n1 * n2 for b, n1, n2 in shapes])
    return tuple(piece.view(shape) for piece, shape in zip(pieces, shapes, strict=True))


def cells(row: Tensor, column: Tensor, rows: Padding, columns: Padding) -> Tensor:
    """Return the position of every entry `(row, column)` in the concatenated cells of all
    blocks.
    """
    shapes = list(zip(rows.shapes, columns.shapes, strict=True))
    widths = torch.cat(
        [torch.full((b * n1,), n2, device=row.device) for (b, n1), (_, n2) in shapes]
    )
    places = torch.cat([torch.arange(n2, device=row.device).repeat(b) for _, (b, n2) in shapes])
    return offsets(widths)[rows.slot[row]] + places[columns.slot[column]]
