"""Linear maps between node signals: adjacencies (n x n) and assignments (n1 x n2).

A message-passing layer needs `A @ h` and row sums, never the matrix itself (Eq. 1). So every layer
is written once against `Operator`, and the matrix behind it is whatever is fastest: compressed rows
for original graphs (`SparseOperator`), padded blocks for mixed ones (`BlockOperator`), or an
expression such as `lam * A1 + (1 - lam) * (M @ A2 @ M.T)` of Eq. (5).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self, overload

import torch
from torch import Tensor

if TYPE_CHECKING:
    from smixup.graphs.sparse import SparseOperator


class Operator(ABC):
    """A constant linear map of shape `[rows, columns]`.

    Gradients flow through what it is applied to, not into it.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    @abstractmethod
    def T(self) -> Operator:
        """The transposed map."""

    @abstractmethod
    def product(self, h: Tensor) -> Tensor:
        """Apply the map to `h [columns, d]` outside of autograd; users write `operator @ h`."""

    @abstractmethod
    def to_sparse(self) -> SparseOperator:
        """Return the same map as explicit entries, for export and inspection."""

    @property
    def width(self) -> int:
        """How many maps it stands for: one, but for attributes of edges, see `Bundle`."""
        return 1

    def unbind(self) -> tuple[Operator, ...]:
        """Return the maps that it stands for, one by one."""
        return (self,)

    def row_sums(self) -> Tensor:
        """Sum each row: for an adjacency, the weighted degrees `[n]`."""
        return self.product(torch.ones(self.shape[1], 1, device=self.device)).squeeze(1)

    @property
    def has_negative(self) -> bool:
        """Whether entries may be below zero: some of its own numbers, or of its parts', are."""
        values = (each for each in _tensors(self) if each.is_floating_point() and each.numel())
        return any(bool(each.amin() < 0) for each in values)

    def row_sizes(self) -> Tensor:
        """Sum the sizes `|entry|` of each row: the degrees `[n]` where weights have signs, which
        would cancel in `row_sums`; the same as these where no entry is negative.
        """
        if not self.has_negative:
            return self.row_sums()
        entries = self.to_sparse().merged()
        return replace(entries, weight=entries.weight.abs()).row_sums()

    def to_dense(self) -> Tensor:
        """Return the matrix itself; for tests and pictures."""
        return self.product(torch.eye(self.shape[1], device=self.device))

    @property
    def device(self) -> torch.device:
        """Where the numbers live."""
        return next(_tensors(self)).device

    def to(self, device: torch.device | str) -> Self:
        """Move every tensor of the map to `device`."""
        parts = fields(self)  # type: ignore[arg-type]  # every kind is a dataclass
        moved = {part.name: _move(getattr(self, part.name), device) for part in parts}
        return replace(self, **moved)  # type: ignore[type-var]

    @overload
    def __matmul__(self, other: Tensor) -> Tensor: ...
    @overload
    def __matmul__(self, other: Operator) -> Operator: ...
    def __matmul__(self, other: Tensor | Operator) -> Tensor | Operator:
        if isinstance(other, Operator):
            return self.compose(other)
        # One-hot features are kept in bytes, in which no sum would fit.
        h = other if other.is_floating_point() else other.float()
        result: Tensor = _Product.apply(h, self)
        return result

    def compose(self, other: Operator) -> Operator:
        """Return `self @ other` as a map; kinds that can multiply cheaply do it at once."""
        return Composed(self, other)

    def __add__(self, other: Operator) -> Operator:
        return Sum(self, other)

    def __rmul__(self, scale: Tensor) -> Operator:
        """Scale the rows by `scale [rows]`, which must be constant within each graph: `lam * A`."""
        return Diagonal(scale) @ self

    def conjugated(self, scale: Tensor) -> Operator:
        """Return `diag(scale) @ self @ diag(scale)`."""
        return Diagonal(scale) @ self @ Diagonal(scale)

    def without_loops(self) -> Operator:
        """Return the map with a zero diagonal."""
        entries = self.to_sparse()
        if entries.weight.dim() > 1:
            return entries.without_loops()
        loops = entries.row == entries.column
        diagonal = entries.weight.new_zeros(self.shape[0])
        return self + Diagonal(diagonal.index_add_(0, entries.row[loops], -entries.weight[loops]))

    def without_small(self, threshold: float) -> Operator:
        """Return the map without entries below `threshold` in size."""
        entries = self.to_sparse()
        return entries.mask_entries(entries.weight.abs() >= threshold)

    def symmetrised(self) -> Operator:
        """Return `(self + self.T) / 2`, bit for bit equal to its transpose.

        For maps that are symmetric but for rounding.
        """
        entries = self.to_sparse()
        total = entries.add(entries.T)
        return replace(total, weight=total.weight / 2, symmetric=True)

    def product_onto(self, out: Tensor, h: Tensor) -> Tensor:
        """Add `self @ h` to `out` in place."""
        return out.add_(self.product(h))


class _Product(torch.autograd.Function):
    """`operator @ h` with the gradient `operator.T @ g`: one rule for every kind of operator."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, operator: Operator) -> Tensor:
        ctx.operator = operator
        return operator.product(h)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _Product.apply(gradients[0], ctx.operator.T), None


@dataclass(frozen=True)
class Diagonal(Operator):
    """`diag(values)`."""

    values: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.numel(), self.values.numel()

    @property
    def T(self) -> Diagonal:
        return self

    def product(self, h: Tensor) -> Tensor:
        return self.values.to(h.dtype).unsqueeze(1) * h

    def product_onto(self, out: Tensor, h: Tensor) -> Tensor:
        return out.addcmul_(self.values.to(h.dtype).unsqueeze(1), h)

    def to_sparse(self) -> SparseOperator:
        from smixup.graphs.sparse import SparseOperator  # a kind of operator, too

        n = self.values.numel()
        every = torch.arange(n + 1, device=self.device)
        return SparseOperator(every, every[:-1], self.values, num_columns=n, symmetric=True)


@dataclass(frozen=True)
class Composed(Operator):
    """`first @ second`, never multiplied out."""

    first: Operator
    second: Operator

    @property
    def shape(self) -> tuple[int, int]:
        return self.first.shape[0], self.second.shape[1]

    @property
    def width(self) -> int:
        return max(self.first.width, self.second.width)

    @property
    def T(self) -> Operator:
        return Composed(self.second.T, self.first.T)

    def product(self, h: Tensor) -> Tensor:
        return self.first.product(self.second.product(h))

    def to_sparse(self) -> SparseOperator:
        return self.first.to_sparse().matmul(self.second.to_sparse())


@dataclass(frozen=True)
class Sum(Operator):
    """`first + second`, never added up."""

    first: Operator
    second: Operator

    @property
    def shape(self) -> tuple[int, int]:
        return self.first.shape

    @property
    def width(self) -> int:
        return self.first.width

    @property
    def T(self) -> Operator:
        return Sum(self.first.T, self.second.T)

    def product(self, h: Tensor) -> Tensor:
        return self.second.product_onto(self.first.product(h), h)

    def __rmul__(self, scale: Tensor) -> Operator:
        return Sum(scale * self.first, scale * self.second)

    def conjugated(self, scale: Tensor) -> Operator:
        return Sum(self.first.conjugated(scale), self.second.conjugated(scale))

    def to_sparse(self) -> SparseOperator:
        return self.first.to_sparse().add(self.second.to_sparse())


@dataclass(frozen=True)
class Stacked(Operator):
    """Operators along the diagonal of a larger one: how batches are concatenated."""

    parts: tuple[Operator, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return sum(part.shape[0] for part in self.parts), sum(part.shape[1] for part in self.parts)

    @property
    def width(self) -> int:
        return self.parts[0].width

    @property
    def T(self) -> Operator:
        return Stacked(tuple(part.T for part in self.parts))

    def product(self, h: Tensor) -> Tensor:
        pieces = self._split(h)
        return torch.cat(
            [part.product(piece) for part, piece in zip(self.parts, pieces, strict=True)]
        )

    def __rmul__(self, scale: Tensor) -> Operator:
        scales = torch.split(scale, [part.shape[0] for part in self.parts])
        return Stacked(tuple(s * part for part, s in zip(self.parts, scales, strict=True)))

    def conjugated(self, scale: Tensor) -> Operator:
        return Stacked(
            tuple(
                part.conjugated(s) for part, s in zip(self.parts, self._split(scale), strict=True)
            )
        )

    def _split(self, h: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch.split(h, [part.shape[1] for part in self.parts]))

    def to_sparse(self) -> SparseOperator:
        parts = [part.to_sparse() for part in self.parts]
        return parts[0].stack(parts)


def _move(value: Any, device: torch.device | str) -> Any:
    if isinstance(value, tuple):
        return tuple(_move(item, device) for item in value)
    return value.to(device) if hasattr(value, "to") else value


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Operator):
        for field in fields(value):  # type: ignore[arg-type]
            yield from _tensors(getattr(value, field.name))
    elif isinstance(value, Sequence):
        for item in value:
            yield from _tensors(item)
