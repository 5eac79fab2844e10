"""Numbers that are known up to bounds, and what can be said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Interval:
    """A number between two bounds, which are equal if it is known."""

    lower: float
    upper: float

    def reaches(self, other: Interval) -> Verdict:
        """Say whether this number is at most `other`."""
        if self.upper <= other.lower + TOLERANCE:
            return Verdict.HOLDS
        return Verdict.FAILS if self.lower > other.upper + TOLERANCE else Verdict.OPEN


class Verdict(StrEnum):
    """Whether an inequality holds; open where the bounds of its terms do not tell."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"

    def and_(self, other: Verdict) -> Verdict:
        """Say whether both hold."""
        if Verdict.FAILS in (self, other):
            return Verdict.FAILS
        return Verdict.OPEN if Verdict.OPEN in (self, other) else Verdict.HOLDS


def spread(function: Callable[..., float], *arguments: Interval) -> Interval:
    """Return between what a function lies that is monotone in every argument, by its values at the
    corners.
    """
    values = [
        function(*corner) for corner in product(*((each.lower, each.upper) for each in arguments))
    ]
    return Interval(min(values), max(values))
