"""Theorem 1 (Sec. 5.2) as printed, and what is true in its place.

With b, c and e the edit distances of G1 and G2', of G2 and G2', and of G1 and G2, and D the cost of
turning G1 into G2' node by node, the paper says `|epsilon - lam| <= (1 - lam) c / (b + c)`. For
costs that are norms it is true that

    (1 - lam) (1 - D / e) <= epsilon - lam <= (lam (D - b) + (1 - lam) c) / (b + c),

where the left side is never below `-lam`, and the right side never above `1 - lam`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

TOLERANCE = 1e-5


@dataclass(frozen=True)
class PairDistances:
    """What Theorem 1 needs to know of a pair, whatever the ratio: e, b, c and D."""

    between: float
    to_aligned: float
    moved: float
    identity: float

    def printed_bound(self, lam: float) -> float:
        """Return the right-hand side of Theorem 1; zero where G1, G2 and G2' are one graph."""
        return (1 - lam) * self.moved / self._whole if self._whole > 0 else 0.0

    def least(self, lam: float) -> float:
        """Return the least that `epsilon - lam` can be."""
        far = self.between > 0
        return max(-lam, (1 - lam) * (1 - self.identity / self.between)) if far else -lam

    def most(self, lam: float) -> float:
        """Return the most that `epsilon - lam` can be."""
        excess = lam * (self.identity - self.to_aligned) + (1 - lam) * self.moved
        return min(1 - lam, excess / self._whole) if self._whole > 0 else 1 - lam

    def holds(self, lam: float, epsilon: float) -> dict[str, bool]:
        """Tell which statements hold; of the printed one, the proof argues for the upper side."""
        off, bound = epsilon - lam, self.printed_bound(lam) + TOLERANCE
        corrected = self.least(lam) - TOLERANCE <= off <= self.most(lam) + TOLERANCE
        return {"printed": abs(off) <= bound, "one-sided": off <= bound, "corrected": corrected}

    @property
    def _whole(self) -> float:
        return self.to_aligned + self.moved


def epsilon(to_left: float, to_right: float) -> float:
    """Return `d(G', G2) / (d(G', G1) + d(G', G2))`, of a perfect mix lambda; NaN for `0 / 0`."""
    return to_right / (to_left + to_right) if to_left + to_right > 0 else math.nan
