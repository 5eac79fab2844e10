"""What a few runs per method allow to say: means with deviations, and paired differences with
intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from smixup.app.evidence.estimate import FEWEST, Estimate, detectable_at
from smixup.errors import UsageError


@dataclass(frozen=True)
class Summary:
    """Scores of one method.

    Attributes:
        mean: over the runs.
        deviation: the sample standard deviation; nan of a single run, or if a score is infinite.
        number: how many runs.
    """

    mean: float
    deviation: float
    number: int

    @classmethod
    def of(cls, scores: Sequence[float]) -> Summary:
        """Summarise one score per run."""
        if not scores:
            raise UsageError("a summary needs one run at least.")
        spread = len(scores) > 1 and all(map(math.isfinite, scores))
        return cls(fmean(scores), stdev(scores) if spread else math.nan, len(scores))


@dataclass(frozen=True)
class Difference:
    """How much higher one method scores than another in runs that share seed, data and initial
    weights.

    Attributes:
        mean: of the differences.
        low, high: Student's 95 % interval of the mean; infinite for fewer than three pairs, which
            may agree by chance.
        number: how many pairs.
        detectable: the true difference that so many pairs with this deviation would show with a
            chance of 80 %; infinite where nothing is shown.
    """

    mean: float
    low: float
    high: float
    number: int
    detectable: float = math.inf

    @classmethod
    def between(cls, scores: Sequence[float], reference: Sequence[float]) -> Difference:
        """Compare two methods; runs at the same position are a pair."""
        if len(scores) != len(reference) or not scores:
            raise UsageError(
                f"paired runs must be equal in number and not none: {len(scores)} and "
                f"{len(reference)}."
            )
        pairs = Summary.of([a - b for a, b in zip(scores, reference, strict=True)])
        if pairs.number < FEWEST:
            return cls(pairs.mean, -math.inf, math.inf, pairs.number)
        number, se = pairs.number, pairs.deviation / math.sqrt(pairs.number)
        found = Estimate.student(pairs.mean, se, number - 1, number)
        return cls(found.mean, found.low, found.high, number, found.detectable)

    @property
    def decided(self) -> bool:
        """Whether the interval leaves zero out; two pairs, which may agree by chance, decide
        nothing.
        """
        return self.number >= FEWEST and (self.low > 0 or self.high < 0)


def detectable_difference(deviation: float, number: int) -> float:
    """Return the true difference that paired runs find with a chance of 80 %.

    The standard error is s / sqrt(n), with n - 1 degrees of freedom. Fewer than three pairs find
    nothing.

    Args:
        deviation: s, the standard deviation of the differences.
        number: n, how many pairs.
    """
    if number < FEWEST:
        return math.inf
    return detectable_at(deviation / math.sqrt(number), number - 1)
