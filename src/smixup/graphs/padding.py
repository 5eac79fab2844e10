"""Ragged graphs in rectangular blocks: `[n, d]` node tensors to `[b, N, d]` and back, bucketed by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

CELL_BUDGET = 2**17


def buckets_by_size(*sizes: Tensor, cell_budget: int = CELL_BUDGET) -> list[Tensor]:
    """Group B graphs (or pairs: pass the sizes of both sides) so that padding a group to its largest wastes little.

    Graphs are sorted by size and cut where the padded cells `b * N1 * N2` of a group would exceed the budget; a graph
    larger than the budget is a group of its own.

    Args:
        sizes: one or two tensors `[B]` of node counts; one stands for both sides of a square block.
        cell_budget: how many cells a padded group may have.

    Returns:
        Index tensors that partition `0, ..., B - 1`.
    """
    rows, columns = sizes[0], sizes[-1]
    order = torch.maximum(rows, columns).mul(2**20).add(torch.minimum(rows, columns)).argsort(stable=True)
    groups, first, height, width = [], 0, 0, 0
    for at, (row, column) in enumerate(zip(rows[order].tolist(), columns[order].tolist(), strict=True)):
        height, width = max(height, row), max(width, column)
        if at > first and (at - first + 1) * height * width > cell_budget:
            groups.append(order[first:at])
            first, height, width = at, row, column
    return [*groups, order[first:]] if order.numel() else groups


@dataclass(frozen=True)
class Padding:
    """Where the nodes of a flat batch lie in padded blocks.

    Attributes:
        shapes: `(b, N)` of every block.
        index: `[S]`, the flat node behind every padded slot; slots without a node point at node 0.
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
            indices.append(torch.where(mask, first.unsqueeze(1) + place, 0).flatten())
            masks.append(mask.flatten())
            shapes.append((group.numel(), width))
        index, mask = torch.cat(indices), torch.cat(masks)
        slot = torch.empty(int(ptr[-1]), dtype=torch.long, device=ptr.device)
        slot[index[mask]] = mask.nonzero().squeeze(1)
        return cls(tuple(shapes), index, mask, slot)

    @property
    def num_nodes(self) -> int:
        """Nodes of the flat batch."""
        return self.slot.numel()

    def pad(self, h: Tensor) -> tuple[Tensor, ...]:
        """Return `h [n, d]` as blocks `[b, N, d]`; what stands in empty slots is arbitrary but finite."""
        return self.split(h.index_select(0, self.index))

    def unpad(self, blocks: Sequence[Tensor]) -> Tensor:
        """Return blocks `[b, N, d]` as `[n, d]`."""
        return torch.cat([block.flatten(0, 1) for block in blocks]).index_select(0, self.slot)

    def split(self, slots: Tensor) -> tuple[Tensor, ...]:
        """View a tensor over all slots `[S, ...]` block by block `[b, N, ...]`."""
        pieces = slots.split([b * width for b, width in self.shapes])
        return tuple(piece.unflatten(0, shape) for piece, shape in zip(pieces, self.shapes, strict=True))

    def masks(self) -> tuple[Tensor, ...]:
        """Return which slots hold a node, block by block `[b, N]`."""
        return self.split(self.mask)

    def to(self, device: torch.device | str) -> Padding:
        """Move to `device`."""
        return Padding(self.shapes, self.index.to(device), self.mask.to(device), self.slot.to(device))


def pad_whole(ptr: Tensor) -> Padding:
    """Lay out all graphs in a single block."""
    return Padding.of(ptr, [torch.arange(ptr.numel() - 1, device=ptr.device)])


def padding_of(ptr: Tensor, cell_budget: int = CELL_BUDGET) -> Padding:
    """Lay out square blocks for the graphs that begin at `ptr`."""
    return Padding.of(ptr, [group.to(ptr.device) for group in buckets_by_size(ptr.diff(), cell_budget=cell_budget)])
