"""Ragged graphs in rectangular blocks: `[n, ...]` node tensors to `[b, N, ...]` and back, bucketed
by size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.graphs.ragged import offsets
from smixup.graphs.sparse import SparseOperator
from smixup.memory import cells_at_once

if TYPE_CHECKING:
    pass

SQUARE_WASTE, PAIR_WASTE = 2**13, 192
CELLS_AT_ONCE = 2**22
"""Cells of a group of pairs, at most, unless a single pair has more; fewer if memory is short."""
BYTES_PER_CELL = 32  # scores in double precision, and what normalising them needs
FEW = 4  # assignments with an entry in one of so many cells are multiplied entry by entry


def buckets_by_size(sizes: Tensor, waste: int = SQUARE_WASTE) -> list[Tensor]:
    """Group graphs of `sizes [B]` for square blocks `[b, N, N]`, the largest first, so that no
    group has more than `waste` empty cells: about as many as cost the same as one group more.
    """
    return _cut(sizes, [size * size for size in sizes.tolist()], waste)


def buckets_of_pairs(left: Tensor, right: Tensor, waste: int = PAIR_WASTE) -> list[Tensor]:
    """Group pairs of graphs of sizes `left [B]` and `right [B]` for blocks `[b, N1, .]` and
    `[b, N2, .]` so that no group has more than `waste` empty rows on a side, and none a table that
    fills the memory.
    """
    groups: list[Tensor] = []
    for strip in _cut(left, left.tolist(), waste):
        for group in _cut(right[strip], right[strip].tolist(), waste):
            groups += _small_enough(strip[group], left, right)
    return groups


def _small_enough(group: Tensor, left: Tensor, right: Tensor) -> list[Tensor]:
    """Cut a group of pairs so that none has more than `CELLS_AT_ONCE` cells."""
    rows, columns = left[group].tolist(), right[group].tolist()
    most = cells_at_once(CELLS_AT_ONCE, BYTES_PER_CELL)
    if len(group) * max(rows) * max(columns) <= most:
        return [group]
    counts, n1, n2 = [0], 0, 0
    for pair in zip(rows, columns, strict=True):
        n1, n2 = max(n1, pair[0]), max(n2, pair[1])
        if counts[-1] and (counts[-1] + 1) * n1 * n2 > most:
            counts, (n1, n2) = [*counts, 0], pair
        counts[-1] += 1
    return list(group.split(counts))


def _cut(sizes: Tensor, costs: list[int], waste: int) -> list[Tensor]:
    """Go from the largest to the smallest; begin a new group where too much would be wasted."""
    order = sizes.argsort(descending=True, stable=True)
    groups, first, wasted = [], 0, 0
    for at, graph in enumerate(order.tolist()):
        wasted += costs[order[first]] - costs[graph] if at > first else 0
        if wasted > waste:
            groups.append(order[first:at])
            first, wasted = at, 0
    return [*groups, order[first:]] if order.numel() else groups


@dataclass(frozen=True)
class Padding:
    """Where the nodes of a flat batch lie in padded blocks.

    Attributes:
        shapes: `(b, N)` of every block.
        index: `[S]`, the flat node behind every padded slot; n where there is none.
        mask: `[S]`, whether a slot holds a node.
        slot: `[n]`, the slot of every flat node.
    """

    shapes: tuple[tuple[int, int], ...]
    index: Tensor
    mask: Tensor
    slot: Tensor

    @classmethod
    def of(cls, ptr: Tensor, groups: Sequence[Tensor]) -> Padding:
        """Lay out the graphs that begin at `ptr` in one block per group."""
        shapes, indices, masks = [], [], []
        for group in groups:
            first, count = ptr[group], ptr[group + 1] - ptr[group]
            width = max(int(count.max()), 1)
            place = torch.arange(width, device=ptr.device)
            mask = place < count.unsqueeze(1)
            indices.append(torch.where(mask, first.unsqueeze(1) + place, ptr[-1]).flatten())
            masks.append(mask.flatten())
            shapes.append((group.numel(), width))
        index, mask = torch.cat(indices), torch.cat(masks)
        slot = torch.empty(int(ptr[-1]), dtype=torch.long, device=ptr.device)
        slot[index[mask]] = mask.nonzero().squeeze(1)
        return cls(tuple(shapes), index, mask, slot)

    def pad(self, h: Tensor) -> tuple[Tensor, ...]:
        """Return `h [n, ...]` as blocks `[b, N, ...]`; empty slots are zero."""
        with_nothing = torch.cat([h, h.new_zeros(1, *h.shape[1:])])
        return self.split(with_nothing.index_select(0, self.index))

    def unpad(self, blocks: Sequence[Tensor]) -> Tensor:
        """Return blocks `[b, N, ...]` as `[n, ...]`."""
        return torch.cat([block.flatten(0, 1) for block in blocks]).index_select(0, self.slot)

    def split(self, slots: Tensor) -> tuple[Tensor, ...]:
        """View a tensor over all slots `[S, ...]` block by block `[b, N, ...]`."""
        return _blocks(slots, self.shapes)

    def masks(self) -> tuple[Tensor, ...]:
        """Return which slots hold a node, block by block `[b, N]`."""
        return self.split(self.mask)


def _blocks(flat: Tensor, shapes: Sequence[tuple[int, ...]]) -> tuple[Tensor, ...]:
    pieces = flat.split([prod(shape) for shape in shapes])
    return tuple(piece.unflatten(0, shape) for piece, shape in zip(pieces, shapes, strict=True))


def to_blocks(M: SparseOperator, rows: Padding, columns: Padding) -> tuple[Tensor, ...]:
    """Write the entries of a block-diagonal map into dense blocks `[b, N1, N2]`, or
    `[b, N1, N2, k]` if it holds several.
    """
    shapes = [(b, n1, n2) for (b, n1), (_, n2) in zip(rows.shapes, columns.shapes, strict=True)]
    widths = torch.cat([torch.full((b * n1,), n2, device=M.device) for b, n1, n2 in shapes])
    places = torch.cat([torch.arange(n2, device=M.device).repeat(b) for b, _, n2 in shapes])
    flat = M.weight.new_zeros(sum(map(prod, shapes)), *M.weight.shape[1:])
    flat[offsets(widths)[rows.slot[M.row]] + places[columns.slot[M.column]]] = M.weight
    return _blocks(flat, shapes)


def from_blocks(blocks: Iterable[Tensor], rows: Padding, columns: Padding) -> SparseOperator:
    """Return what is not zero in dense blocks, see `to_blocks`, as one sparse map."""
    row, column, weight = [], [], []
    indices = rows.split(rows.index), columns.split(columns.index)
    for block, index1, index2 in zip(blocks, *indices, strict=True):
        filled = block != 0
        pair, i, j = (filled if block.dim() == 3 else filled.any(3)).nonzero(as_tuple=True)
        row.append(index1[pair, i])
        column.append(index2[pair, j])
        weight.append(block[pair, i, j])
    shape = len(rows.slot), len(columns.slot)
    return SparseOperator.from_entries(torch.cat(row), torch.cat(column), torch.cat(weight), shape)


def carried(M: SparseOperator, A: SparseOperator, ptr1: Tensor, ptr2: Tensor) -> SparseOperator:
    """Return `M A M^T` for assignments `[n1, n2]` of pairs of graphs that begin at `ptr1` and
    `ptr2`, and edges `[n2, n2]` of the second ones.
    """
    if M.is_one_to_one:
        return A.relabelled(M)
    sizes1, sizes2 = ptr1.diff(), ptr2.diff()
    if FEW * len(M.column) < int((sizes1 * sizes2).sum()):
        return M @ A @ M.T
    groups = buckets_of_pairs(sizes1, sizes2)
    rows, columns = Padding.of(ptr1, groups), Padding.of(ptr2, groups)
    blocks, edges = [], to_blocks(A, columns, columns)
    for share, block in zip(to_blocks(M, rows, columns), edges, strict=True):
        maps = [block] if block.dim() == 3 else block.unbind(3)
        moved = [share @ each @ share.mT for each in maps]
        blocks.append(moved[0] if block.dim() == 3 else torch.stack(moved, 3))
    return from_blocks(blocks, rows, rows)
