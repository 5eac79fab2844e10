"""Several maps of one shape as one, for what has no common places of entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs.operator import Operator
from smixup.graphs.sparse import SparseOperator


@dataclass(frozen=True)
class Bundle(Operator):
    """k maps, each its own operator: attributes of edges that were carried along soft assignments.

    Attributes of original edges share their places, and are one `SparseOperator` with k values at
    each; in dense blocks there are no places to share.

    Attributes:
        parts: the maps, all of one shape.
    """

    parts: tuple[Operator, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape

    @property
    def width(self) -> int:
        return len(self.parts)

    @property
    def T(self) -> Bundle:
        return self._each(lambda part: part.T)

    def unbind(self) -> tuple[Operator, ...]:
        return self.parts

    def product(self, h: Tensor) -> Tensor:
        raise TypeError("several maps have no product: take one of `unbind()`.")

    def compose(self, other: Operator) -> Bundle:
        return self._each(lambda part: part.compose(other))

    def __add__(self, other: Operator) -> Bundle:
        """Add map by map."""
        pairs = zip(self.parts, other.unbind(), strict=True)
        return Bundle(tuple(mine + theirs for mine, theirs in pairs))

    def __rmul__(self, scale: Tensor) -> Bundle:
        return self._each(lambda part: scale * part)

    def without_loops(self) -> Bundle:
        return self._each(lambda part: part.without_loops())

    def to_sparse(self) -> SparseOperator:
        """Return all maps with entries wherever one has them."""
        found = [part.to_sparse() for part in self.parts]
        row, column = (torch.cat([getattr(each, at) for each in found]) for at in ("row", "column"))
        weights = [each.weight for each in found]
        which = torch.arange(len(found), device=row.device).repeat_interleave(
            torch.tensor([len(weight) for weight in weights], device=row.device)
        )
        wide = weights[0].new_zeros(len(row), len(found))
        wide[torch.arange(len(row), device=row.device), which] = torch.cat(weights)
        return SparseOperator.from_entries(row, column, wide, self.shape)

    def _each(self, change: Callable[[Operator], Operator]) -> Bundle:
        return Bundle(tuple(map(change, self.parts)))
