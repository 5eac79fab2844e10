"""How much of G2 falls on each node of G1: the row sums of M."""

from __future__ import annotations

from dataclasses import dataclass

from smixup.graphs import Operator


@dataclass(frozen=True)
class RowSums:
    """Of all nodes of G1; where every node stands for one node of G2, mean 1 and deviation 0.

    Attributes:
        mean: of the row sums.
        deviation: their standard deviation.
        largest: the heaviest pile.
    """

    mean: float
    deviation: float
    largest: float

    @classmethod
    def of(cls, M: Operator) -> RowSums:
        """Measure assignments `[n1, n2]`."""
        sums = M.row_sums()
        return cls(float(sums.mean()), float(sums.std(correction=0)), float(sums.max()))
