"""The one sparse form: adjacencies `[n, n]`, and assignments `[n1, n2]` of nodes to nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from typing import Any, overload

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.graphs.ragged import offsets, ranges, row_of


@dataclass(frozen=True)
class SparseOperator:
    """A constant linear map as compressed rows: gradients flow through what it is applied to, not
    into it.

    Attributes:
        row_ptr: `[rows + 1]`, where each row begins.
        column: `[m]`, the column of each entry.
        weight: `[m]`, its value; or `[m, k]`, the values of k maps that have their entries at the
            same places, as edges have weights and attributes: such a one has no product.
        num_columns: the width.
        symmetric: whether the map is known to equal its transpose, so that the backward pass needs
            no other order of entries.

    Note:
        The product is written as `embedding_bag`, a weighted sum of rows of `h` per row: on a CPU
        it is faster than torch's own CSR product, it needs no beta feature, and it runs on every
        device.
    """

    row_ptr: Tensor
    column: Tensor
    weight: Tensor
    num_columns: int
    symmetric: bool = False

    @classmethod
    def from_edges(cls, edge_index: Tensor, edge_weight: Tensor, num_nodes: int) -> SparseOperator:
        """Build `A[target, source]` from PyG's `edge_index [2, m]`, so that `A @ h` gathers at the
        target.
        """
        source, target = edge_index
        return cls.from_entries(target, source, edge_weight, (num_nodes,) * 2).with_symmetry()

    def with_symmetry(self) -> SparseOperator:
        """Find out whether the map equals its transpose."""
        other = self._transposed
        fields = ("row_ptr", "column", "weight")
        equal = all(torch.equal(getattr(self, name), getattr(other, name)) for name in fields)
        return replace(self, symmetric=equal)

    @classmethod
    def from_entries(
        cls, row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int]
    ) -> SparseOperator:
        """Sort the entries `(row, column, weight)` and add up those at the same place."""
        place = row * shape[1] + column
        if not _ascend(place):
            order = _order(place)
            if not _ascend(place.index_select(0, order)):
                return cls._summed(place, weight, shape)
            row, column, weight = (part.index_select(0, order) for part in (row, column, weight))
        entries = cls(offsets(row.bincount(minlength=shape[0])), column, weight, shape[1])
        vars(entries)["row"] = row  # known already
        return entries

    @classmethod
    def _summed(cls, place: Tensor, weight: Tensor, shape: tuple[int, int]) -> SparseOperator:
        """Add up entries at the same place in their order."""
        order = _order(place, stable=True)
        place = place.index_select(0, order)
        first = torch.ones_like(place, dtype=torch.bool)
        torch.ne(place[1:], place[:-1], out=first[1:])
        entry, place = first.cumsum(0) - 1, place[first]
        summed = weight.new_zeros(len(place), *weight.shape[1:])
        summed.index_add_(0, entry, weight.index_select(0, order))
        row = place // max(shape[1], 1)
        return cls(
            offsets(row.bincount(minlength=shape[0])), place - row * shape[1], summed, shape[1]
        )

    @classmethod
    def stack(cls, parts: Sequence[SparseOperator]) -> SparseOperator:
        """Put operators along the diagonal of a larger one."""
        counts, columns, width = [], [], 0
        for part in parts:
            counts.append(part.row_ptr.diff())
            columns.append(part.column + width)
            width += part.num_columns
        weight = torch.cat([part.weight for part in parts])
        symmetric = all(part.symmetric for part in parts)
        return cls(offsets(torch.cat(counts)), torch.cat(columns), weight, width, symmetric)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.row_ptr.numel() - 1, self.num_columns

    @property
    def T(self) -> SparseOperator:
        """The transposed map."""
        return self if self.symmetric else self._transposed

    @property
    def width(self) -> int:
        """How many maps it holds: one, but for attributes of edges."""
        return 1 if self.weight.dim() == 1 else self.weight.size(1)

    @property
    def device(self) -> torch.device:
        """Where the numbers live."""
        return self.weight.device

    def to(self, device: torch.device | str) -> SparseOperator:
        """Move to `device`."""
        return self.apply(methodcaller("to", device))

    def apply(self, change: Callable[[Tensor], Tensor]) -> SparseOperator:
        """Return a copy with every tensor changed alike."""
        row_ptr, column = change(self.row_ptr), change(self.column)
        return replace(self, row_ptr=row_ptr, column=column, weight=change(self.weight))

    @cached_property
    def row(self) -> Tensor:
        """The row of every entry `[m]`."""
        return row_of(self.row_ptr)

    @overload
    def __matmul__(self, other: Tensor) -> Tensor: ...
    @overload
    def __matmul__(self, other: SparseOperator) -> SparseOperator: ...
    def __matmul__(self, other: Tensor | SparseOperator) -> Tensor | SparseOperator:
        if isinstance(other, SparseOperator):
            counts = other.row_ptr.diff()[self.column]
            entries = ranges(other.row_ptr[self.column], counts)
            row = self.row.repeat_interleave(counts)
            own, others = self.weight.repeat_interleave(counts, 0), other.weight[entries]
            weight = _times(own, others) if own.dim() == 1 else _times(others, own)
            shape = self.shape[0], other.num_columns
            return self.from_entries(row, other.column[entries], weight, shape)
        # One-hot features are kept in bytes, in which no sum would fit.
        h = other if other.is_floating_point() else other.float()
        result: Tensor = _Product.apply(h, self)
        return result

    def product(self, h: Tensor) -> Tensor:
        """Apply the map to `h [columns, d]` outside of autograd; users write `operator @ h`."""
        if self.column.numel() == 0:
            return h.new_zeros(self.shape[0], h.size(1))
        weight = self.weight.to(h.dtype)
        kinds: dict[str, Any] = {"mode": "sum", "include_last_offset": True}
        return F.embedding_bag(
            self.column, h.detach(), self.row_ptr, per_sample_weights=weight, **kinds
        )

    def row_sums(self) -> Tensor:
        """Sum each row: for an adjacency, the weighted degrees `[n]`."""
        return self.product(torch.ones(self.shape[1], 1, device=self.device)).squeeze(1)

    def row_sizes(self) -> Tensor:
        """Sum the sizes `|entry|` of each row: the degrees `[n]` where weights have signs, which
        would cancel in `row_sums`; the same as these where no entry is negative.
        """
        if not (self.weight < 0).any():
            return self.row_sums()
        entries = self.merged()
        return replace(entries, weight=entries.weight.abs()).row_sums()

    def to_dense(self) -> Tensor:
        """Return the matrix itself; for tests and pictures."""
        return self.product(torch.eye(self.shape[1], device=self.device))

    def __rmul__(self, scale: Tensor) -> SparseOperator:
        """Scale the rows by `scale [rows]`, which must be constant within each graph if a symmetric
        map is to stay so: `lam * A`.
        """
        return self.scaled(scale[self.row])

    def conjugated(self, scale: Tensor) -> SparseOperator:
        """Return `diag(scale) @ self @ diag(scale)`."""
        return replace(self, weight=scale[self.row] * self.weight * scale[self.column])

    def scaled(self, scale: Tensor) -> SparseOperator:
        """Multiply every entry by its own `scale [m]`."""
        return replace(self, weight=_times(scale, self.weight))

    def edges(self) -> tuple[Tensor, Tensor]:
        """Return PyG's `edge_index [2, m]` (source, target) and `edge_weight [m]`."""
        return torch.stack([self.column, self.row]), self.weight

    def select_blocks(
        self, ptr: Tensor, graphs: Tensor, column_ptr: Tensor | None = None
    ) -> tuple[SparseOperator, Tensor, Tensor]:
        """Select diagonal blocks; block `g` has rows `ptr[g]` to `ptr[g + 1]` and columns by
        `column_ptr` likewise. Return also which entries and rows they have.
        """
        column_ptr = ptr if column_ptr is None else column_ptr
        first, count = ptr[graphs], ptr[graphs + 1] - ptr[graphs]
        entry_first = self.row_ptr[first]
        entry_count = self.row_ptr[first + count] - entry_first
        entries, rows = ranges(entry_first, entry_count), ranges(first, count)
        row_counts = self.row_ptr.index_select(0, rows + 1) - self.row_ptr.index_select(0, rows)
        left = first if column_ptr is ptr else column_ptr[graphs]
        columns = offsets(count if column_ptr is ptr else column_ptr[graphs + 1] - left)
        shift = (columns[:-1] - left).repeat_interleave(entry_count)
        column = self.column.index_select(0, entries).add_(shift)
        weight, width = self.weight.index_select(0, entries), int(columns[-1])
        blocks = SparseOperator(offsets(row_counts), column, weight, width, self.symmetric)
        return blocks, entries, rows

    def select_window(self, first: int, end: int) -> tuple[SparseOperator, slice]:
        """Select the square of rows and columns `first` to `end`, which must not cut a block;
        return also which entries it has.
        """
        a, b = int(self.row_ptr[first]), int(self.row_ptr[end])
        row_ptr, column = self.row_ptr[first : end + 1] - a, self.column[a:b] - first
        window = SparseOperator(row_ptr, column, self.weight[a:b], end - first, self.symmetric)
        return window, slice(a, b)

    def values_at(self, other: SparseOperator) -> Tensor:
        """Return the values of this map where another has entries, zero where it has none."""
        if self.column.numel() == 0:
            return self.weight.new_zeros(other.column.numel(), *self.weight.shape[1:])
        own = self.merged()
        mine, theirs = own._places(), other._places()
        place = torch.searchsorted(mine, theirs).clamp(max=mine.numel() - 1)
        found = (mine[place] == theirs).view(-1, *[1] * (own.weight.dim() - 1))
        return torch.where(found, own.weight[place], 0.0)

    def merged(self) -> SparseOperator:
        """Return the same map with its entries in order, and one entry at every place."""
        places = self._places()
        if _ascend(places):
            return self
        entries = self.from_entries(self.row, self.column, self.weight, self.shape)
        return replace(entries, symmetric=self.symmetric)

    def _places(self) -> Tensor:
        """Number the places of all entries row by row, `[m]`."""
        return self.row * self.num_columns + self.column

    def __add__(self, other: SparseOperator) -> SparseOperator:
        """Add another map entry by entry."""
        place = torch.cat([self._places(), other._places()])
        joint = self._summed(place, torch.cat([self.weight, other.weight]), self.shape)
        return replace(joint, symmetric=self.symmetric and other.symmetric)

    def relabelled(self, match: SparseOperator) -> SparseOperator:
        """Return `match @ self @ match.T` for a match `[n', n]` with one entry at most in every row
        and column.
        """
        place = torch.full_like(self.row_ptr[1:], -1).index_copy(0, match.column, match.row)
        share = match.weight.new_zeros(len(place)).index_copy(0, match.column, match.weight)
        inside = self.mask_entries((place[self.row] >= 0) & (place[self.column] >= 0))
        weight = _times(share[inside.row] * share[inside.column], inside.weight)
        shape = match.shape[0], match.shape[0]
        moved = self.from_entries(place[inside.row], place[inside.column], weight, shape)
        return replace(moved, symmetric=self.symmetric)

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether no row and no column has two entries."""
        return bool((self.row_ptr.diff() <= 1).all() and (self.column.bincount() <= 1).all())

    def symmetrised(self) -> SparseOperator:
        """Return `(self + self.T) / 2`, bit for bit equal to its transpose."""
        total = self + self.T
        return replace(total, weight=total.weight / 2, symmetric=True)

    def mask_entries(self, chosen: Tensor) -> SparseOperator:
        """Keep the entries marked in `chosen [m]`; the choice must treat both directions of an edge
        alike.
        """
        entries = chosen.nonzero().squeeze(1)
        row_ptr = torch.searchsorted(entries, self.row_ptr)
        column, weight = self.column[entries], self.weight[entries]
        return SparseOperator(row_ptr, column, weight, self.num_columns, self.symmetric)

    def subgraph(self, chosen: Tensor) -> SparseOperator:
        """Keep the rows and columns marked in `chosen [n]` of a square map, and close the gaps."""
        inside = self.mask_entries(chosen[self.row] & chosen[self.column])
        counts, column = inside.row_ptr.diff()[chosen], (chosen.cumsum(0) - 1)[inside.column]
        return SparseOperator(
            offsets(counts), column, inside.weight, counts.numel(), self.symmetric
        )

    def scatter(self, place: Tensor, size: int) -> SparseOperator:
        """Return a square map on `size` nodes where node i stands at `place[i]`, each at a place of
        its own.
        """
        counts = place.new_zeros(size).index_copy_(0, place, self.row_ptr.diff())
        first = place.new_zeros(size).index_copy_(0, place, self.row_ptr[:-1])
        entries = ranges(first, counts)
        return SparseOperator(
            offsets(counts), place[self.column[entries]], self.weight[entries], size, self.symmetric
        )

    def add_unmerged(self, other: SparseOperator) -> SparseOperator:
        """Add another map by writing its entries behind those of the same row.

        Cheaper than `add`, as nothing is sorted; entries of both at the same place stay two.
        """
        counts = torch.stack([self.row_ptr.diff(), other.row_ptr.diff()], 1)
        first = torch.stack([self.row_ptr[:-1], other.row_ptr[:-1] + self.column.numel()], 1)
        entries = ranges(first.flatten(), counts.flatten())
        column = torch.cat([self.column, other.column])[entries]
        weight = torch.cat([self.weight, other.weight])[entries]
        symmetric = self.symmetric and other.symmetric
        return SparseOperator(offsets(counts.sum(1)), column, weight, self.num_columns, symmetric)

    def without_loops(self) -> SparseOperator:
        """Return the map with a zero diagonal."""
        return self.mask_entries(self.row != self.column)

    def without_small(self, threshold: float) -> SparseOperator:
        """Return the map without entries below `threshold` in size."""
        return self.mask_entries(self.weight.abs() >= threshold)

    @cached_property
    def _transposed(self) -> SparseOperator:
        rows, columns = self.shape
        return self.from_entries(self.column, self.row, self.weight, (columns, rows))


def drop_edges(
    adj: SparseOperator, probability: Tensor, generator: torch.Generator
) -> SparseOperator:
    """Remove edges, both directions together, with the probability `[n]` of their nodes' graph."""
    edge, number = numbered_edges(adj)
    u = torch.rand(number, generator=generator).to(edge.device)
    return adj.mask_entries(u[edge] >= probability[adj.row])


def numbered_edges(adj: SparseOperator) -> tuple[Tensor, int]:
    """Return the number of every entry's edge `[m]`, the same for both directions, and how many
    edges there are.
    """
    low, high = torch.minimum(adj.row, adj.column), torch.maximum(adj.row, adj.column)
    edges, edge = torch.unique(low * adj.num_columns + high, return_inverse=True)
    return edge, edges.numel()


def _times(scale: Tensor, weight: Tensor) -> Tensor:
    """Multiply weights `[m]` or `[m, k]` by `scale [m]`."""
    return scale.view(-1, *[1] * (weight.dim() - 1)) * weight


class _Product(torch.autograd.Function):
    """`operator @ h` with the gradient `operator.T @ g`."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, operator: SparseOperator) -> Tensor:
        ctx.operator = operator
        return operator.product(h)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _Product.apply(gradients[0], ctx.operator.T), None


def _ascend(place: Tensor) -> bool:
    return bool((place[1:] > place[:-1]).all())


def _order(place: Tensor, stable: bool = False) -> Tensor:
    """Return what sorts numbers; on a CPU torch's own takes up to ten times as long as NumPy's."""
    if place.is_cuda:
        return place.argsort(stable=stable)
    order = np.argsort(place.numpy(), kind="stable" if stable else None)
    return torch.from_numpy(order)
