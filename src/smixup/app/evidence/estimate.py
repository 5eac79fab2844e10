"""An estimated difference with what is known of its error."""

from __future__ import annotations

import math
from dataclasses import dataclass

from smixup.app.evidence.student import quantile, tail

CONFIDENCE = 0.95
NARROW = 0.90
POWER = 0.8
FEWEST = 3  # units that decide anything; two may agree by chance


@dataclass(frozen=True)
class Estimate:
    """A mean difference, and how far it may be off.

    Attributes:
        mean: the estimate.
        low, high: the 95 % interval; infinite where nothing can be said.
        narrow_low, narrow_high: the 90 % interval, by which `equivalence` judges.
        se: the standard error.
        df: degrees of freedom of Student's quantiles.
        p: of a true difference of zero, two-sided; nan where nothing can be said.
        number: how many units the error was learned from: splits, trainings or datasets.
    """

    mean: float
    low: float
    high: float
    narrow_low: float
    narrow_high: float
    se: float
    df: float
    p: float
    number: int

    @property
    def decided(self) -> bool:
        """Whether the 95 % interval leaves zero out, and three units at least say so."""
        return self.number >= FEWEST and (self.low > 0 or self.high < 0)

    @property
    def detectable(self) -> float:
        """The true difference that such an estimate finds with a chance of 80 %; infinite where it
        finds none.
        """
        known = self.number >= FEWEST and math.isfinite(self.se)
        return detectable_at(self.se, self.df) if known else math.inf

    @classmethod
    def student(cls, mean: float, se: float, df: float, number: int) -> Estimate:
        """Make Student's intervals and p value; a standard error of zero leaves no doubt."""
        outer, inner = (quantile((1 + level) / 2, df) for level in (CONFIDENCE, NARROW))
        p = 2 * tail(abs(mean) / se, df) if se > 0 else float(mean == 0)
        half, narrow = outer * se, inner * se
        bounds = (mean - half, mean + half, mean - narrow, mean + narrow)
        return cls(mean, *bounds, se, df, p, number)

    @classmethod
    def unknown(cls, mean: float, number: int) -> Estimate:
        """Make an estimate whose error cannot be known: of a single split, for example."""
        inf = math.inf
        return cls(mean, -inf, inf, -inf, inf, inf, math.nan, math.nan, number)


def detectable_at(se: float, df: float) -> float:
    """Return the true difference that is found with a chance of 80 %, given its standard error.

    It is (t_0.975 + t_0.8) times the standard error: found means that the 95 % interval leaves zero
    out.
    """
    return (quantile((1 + CONFIDENCE) / 2, df) + quantile(POWER, df)) * se
