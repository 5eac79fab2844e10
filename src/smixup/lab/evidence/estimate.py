"""An estimated difference with what is known of its error."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import t as student

CONFIDENCE = 0.95
NARROW = 0.90


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

    @classmethod
    def student(cls, mean: float, se: float, df: float, number: int) -> Estimate:
        """Make Student's intervals and p value; a standard error of zero leaves no doubt."""
        outer, inner = (float(student.ppf((1 + level) / 2, df)) for level in (CONFIDENCE, NARROW))
        p = 2 * float(student.sf(abs(mean) / se, df)) if se > 0 else float(mean == 0)
        half, narrow = outer * se, inner * se
        bounds = (mean - half, mean + half, mean - narrow, mean + narrow)
        return cls(mean, *bounds, se, df, p, number)

    @classmethod
    def unknown(cls, mean: float, number: int) -> Estimate:
        """Make an estimate whose error cannot be known: of a single split, for example."""
        inf = math.inf
        return cls(mean, -inf, inf, -inf, inf, inf, math.nan, math.nan, number)
