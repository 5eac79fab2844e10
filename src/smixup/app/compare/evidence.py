"""What paired differences allow to say. A chance of 5 % to be wrong is spent on planned looks: four
fifths up to 30 runs by O'Brien and Fleming's boundary (Lan and DeMets 1983), the rest later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import stdtrit
from scipy.stats import norm

from smixup.app.words import counted, decimal, signed

Array = NDArray[np.float64]
Scores = tuple[Array, Array]  # of two, `[runs]`, or `[runs, graphs]` with nan where not tested
ERROR = 0.05  # the chance of a wrong bound on one side, over the whole course and all methods
PLANNED, EARLY = 30, 0.8  # runs up to which most of the chance is spent, and the share of it
LOOKS = (10, 15, 20, 25, PLANNED, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280)
LEAST = 0.75  # see `two_way_variance`; by simulations: 1 covered up to 97 %, 0.25 down to 94
GRID, FURTHEST = 801, 8.0
CELLS = ("method", "outcome", "with", "without", "diff.", "bounds", "verdict", "runs")


class Answer(StrEnum):
    """What bounds allow to say."""

    HELPS = "helps"
    HURTS = "hurts"
    NO_LARGER = "no difference larger than"
    CANNOT_TELL = "cannot tell yet"


@dataclass(frozen=True)
class Measure:
    """A number by which methods are compared; a share has a scale of 100 and is told in points."""

    name: str
    higher_is_better: bool
    scale: float
    margin: float

    @property
    def unit(self) -> str:
        return " points" if self.scale > 1 else ""

    def text(self, value: float, sign: bool = True) -> str:
        write = signed if sign else decimal
        return write(self.scale * value, 1 if self.scale > 1 else 3)


@dataclass(frozen=True)
class Estimate:
    """The mean of paired differences, its standard error, and the degrees of freedom of that."""

    mean: float
    se: float
    df: float

    def reach(self, level: float) -> float:
        """Return how far the truth lies from the mean with a chance of `level` on either side."""
        return -float(stdtrit(self.df, level)) * self.se if self.se < math.inf else math.inf


@dataclass(frozen=True)
class Verdict:
    """What paired runs say of a method, or another `name`, by one measure.

    Attributes:
        mean, difference: of the `runs` up to the look that gave the answer, or to the last one.
        low, high: the true difference lies above `low` at all looks of a course with a chance of
            95 %, and below `high` with the same; infinite before the first look.
        differences: one of each run, also of those after the look.
    """

    name: str
    over: str
    measure: Measure
    mean: float
    difference: float
    low: float
    high: float
    runs: int
    differences: list[float]

    @property
    def answer(self) -> Answer:
        """What the bounds allow to say; unless it is `CANNOT_TELL`, more runs do not change it."""
        if self.low > 0 or self.high < 0:
            better = (self.low > 0) == self.measure.higher_is_better
            return Answer.HELPS if better else Answer.HURTS
        within = max(-self.low, self.high) < self.measure.margin
        return Answer.NO_LARGER if within else Answer.CANNOT_TELL

    @property
    def decided(self) -> bool:
        return self.answer is not Answer.CANNOT_TELL

    @property
    def words(self) -> str:
        limit = f" {self.measure.scale * self.measure.margin:.3g}{self.measure.unit}"
        return self.answer + (limit if self.answer is Answer.NO_LARGER else "")

    @property
    def bounds(self) -> str:
        low, high = map(self.measure.text, (self.low, self.high))
        return f"{low} to {high}" if self.high < math.inf else "not known yet"

    def cells(self) -> tuple[str, ...]:
        """Return what a table has under `CELLS`."""
        write, without = self.measure.text, self.mean - self.difference
        means = write(self.mean, sign=False), write(without, sign=False), write(self.difference)
        return self.name, self.measure.name, *means, self.bounds, self.words, str(self.runs)

    @property
    def sentence(self) -> str:
        amount = self.measure.text(self.difference) + self.measure.unit
        return (
            f"{self.name} over {self.over}: {self.words}; {self.measure.name} {amount}, "
            f"bounds {self.bounds}, after {counted(self.runs, 'paired run')}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": str(self.answer), "sentence": self.sentence}


def judge(
    name: str, over: str, measure: Measure, scores: Scores, test_over_train: float, methods: int = 1
) -> Verdict:
    """Go through the looks that the runs allow; the first answer counts. Each is wrong in 5 % of
    all courses at most, over all looks and so many methods.
    """
    differences = scores[0] - scores[1]
    by_graphs, runs = differences.ndim == 2, len(differences)
    of_runs = (np.nanmean(differences, 1) if by_graphs else differences).tolist()
    for look in [look for look in LOOKS if look <= runs] or [runs]:
        part, mean = differences[:look], float(np.nanmean(scores[0][:look]))
        found = by_graph(part) if by_graphs else resampled_t(part, test_over_train)
        reach = found.reach(levels(ERROR / methods)[look]) if look in LOOKS else math.inf
        bounds = found.mean - reach, found.mean + reach
        verdict = Verdict(name, over, measure, mean, found.mean, *bounds, look, of_runs)
        if verdict.decided:
            break
    return verdict


@lru_cache
def levels(error: float = ERROR) -> dict[int, float]:
    """Return the one-sided level of each look: first crossings up to it add up to `spent`."""
    spending = [spent(look, error) for look in LOOKS]
    return dict(zip(LOOKS, spending_levels(LOOKS, spending), strict=True))


def spent(runs: int, error: float = ERROR) -> float:
    """Return how much of the chance to be wrong may be used up after so many runs."""
    if runs > PLANNED:
        return error * (1 - (1 - EARLY) * PLANNED / runs)
    return float(2 * norm.sf(norm.isf(EARLY * error / 2) / math.sqrt(runs / PLANNED)))


def spending_levels(information: Sequence[float], spending: Sequence[float]) -> list[float]:
    """Return one-sided levels at which a sum first crosses with given chances (Armitage et al.)."""
    found: list[float] = []
    places, mass, before, used = np.zeros(1), np.ones(1), 0.0, 0.0
    simpson = np.full(GRID, 2.0)
    simpson[1::2], simpson[0], simpson[-1] = 4.0, 1.0, 1.0
    for now, until in zip(information, spending, strict=True):
        step, width = math.sqrt(now - before), math.sqrt(now)

        def excess(z: float) -> float:
            return float(norm.sf((z * width - places) / step) @ mass) - (until - used)  # noqa: B023

        z = float(brentq(excess, -FURTHEST, 12.0, xtol=1e-10))
        found.append(float(norm.sf(z)))
        grid = np.linspace(-FURTHEST * width, z * width, GRID)
        weights = simpson * (grid[1] - grid[0]) / 3
        mass = (norm.pdf((grid[:, None] - places) / step) / step) @ mass * weights
        places, before, used = grid, now, until
    return found


def resampled_t(differences: Array, test_over_train: float) -> Estimate:
    """Return the mean of one difference per run. Splits share most of their training graphs, so
    var = s^2 (1/J + n_test/n_train) takes the correlation of scores to be the share of test graphs
    (Nadeau and Bengio 2003).
    """
    J, mean = len(differences), float(differences.mean())
    if J == 1:
        return Estimate(mean, math.inf, math.nan)
    variance = float(differences.var(ddof=1)) * (1 / J + test_over_train)
    return Estimate(mean, math.sqrt(variance), J - 1)


def by_graph(differences: Array) -> Estimate:
    """Return the mean difference over all tested graphs `[runs, graphs]`, nan where not tested.

    Other graphs might have been tested, and other splits drawn. The error is never taken for less
    than that of entries owed to nothing but luck: few runs may agree by chance.
    """
    tested = ~np.isnan(differences)
    kept = np.ix_(tested.any(1), tested.any(0))
    sums, counts = np.where(tested, differences, 0.0)[kept], tested[kept].astype(float)
    mean = float(sums.sum() / counts.sum())
    if min(counts.shape) < 2:
        return Estimate(mean, math.inf, math.nan)
    variance, df = two_way_variance(sums, counts)
    least = math.sqrt(float((sums**2).sum())) / float(counts.sum())
    return Estimate(mean, max(math.sqrt(variance), least), df)


def two_way_variance(sums: Array, counts: Array) -> tuple[float, float]:
    """Return the variance of `sums.sum() / counts.sum()` under random rows, columns and cells, and
    Satterthwaite's degrees of freedom of that.

    Squared residuals, summed by rows, by columns and by cells, have expectations that are linear in
    the three variances, which are solved for: unbiased whatever cells are empty. What columns add
    may be negative by chance, so the whole is no less than `LEAST` of the rows' part.
    """
    (R, C), N = counts.shape, counts.sum()
    residual = sums - counts * (sums.sum() / N)
    squares = np.array([(part**2).sum() for part in (residual.sum(1), residual.sum(0), residual)])
    sizes, expected = expectations(counts)
    scale = np.sqrt(sizes)  # divided by their sizes on both sides the entries are of order one
    scaled = np.linalg.lstsq(expected / np.outer(scale, scale), squares / scale, rcond=1e-9)[0]

    shares = sizes / N**2
    from_rows = shares[0] / expected[0, 0]
    part = from_rows * squares[0]
    added = float((scaled / scale)[1:] @ (shares - from_rows * expected[0])[1:])
    variance = max(part + added, LEAST * part)
    by_columns = shares[1] / expected[1, 1] * squares[1]
    spare = int((counts > 0).sum()) - R - C + 1
    df = float(R - 1)
    if spare >= 1 and variance > 0:
        doubt = part**2 / (R - 1) + by_columns**2 / (C - 1) + (by_columns - added) ** 2 / spare
        df = max(variance**2 / doubt, min(R, C) - 1) if doubt > 0 else math.inf
    return float(variance), float(df)


def expectations(counts: Array) -> tuple[Array, Array]:
    """Return the sizes of the groupings by rows, by columns and by cells, summed over entries, and
    tr(P_k P_l) of the groupings when centred.
    """
    of_cells, kinds = counts.ravel(), (counts.sum(1)[:, None], counts.sum(0), counts)
    sized = np.stack([np.broadcast_to(kind, counts.shape).ravel() for kind in kinds])
    sizes, N = sized @ of_cells, counts.sum()
    overlaps = np.where(np.eye(3) > 0, sizes, sizes[2])
    shared = (sized * of_cells) @ sized.T
    return sizes, overlaps - 2 * shared / N + np.outer(sizes, sizes) / N**2
