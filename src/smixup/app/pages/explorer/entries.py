"""Matrices as the page gets them: rounded, and written shortly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

WEIGHT_DIGITS = 4
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Entries:
    """A matrix, as a list of the places where it is not zero.

    Attributes:
        row, column: of every entry.
        values: the numbers at these places.
    """

    row: list[int]
    column: list[int]
    values: list[float]

    @classmethod
    def of(cls, matrix: Matrix) -> Entries:
        """Round the matrix and list what is left of it."""
        rounded = matrix.round(WEIGHT_DIGITS)
        row, column = np.nonzero(rounded)
        return cls(row.tolist(), column.tolist(), short(rounded[row, column]))

    @classmethod
    def above(cls, adj: Tensor) -> Entries:
        """List the edges of an undirected graph: what is above the diagonal."""
        return cls.of(np.triu(dense(adj), 1))


def dense(values: Tensor) -> Matrix:
    """Return numbers in double precision."""
    return values.detach().cpu().numpy().astype(np.float64)


def short(values: Matrix) -> list[float]:
    """Return numbers that JSON writes shortly: whole ones without a point."""
    return [int(value) if value == int(value) else value for value in values.tolist()]
