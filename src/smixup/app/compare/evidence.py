"""What paired differences allow to say: a verdict that holds however often one looks.

A chance of 5 % to be wrong is spent on planned looks: four fifths up to 30 runs, as O'Brien and
Fleming's boundary does it (Lan and DeMets 1983), the rest on all later ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import stdtrit
from scipy.stats import norm

from smixup.app.words import decimal, signed

Array = NDArray[np.float64]
ERROR = 0.05  # the chance of a wrong bound on one side, over the whole course and all methods
PLANNED, EARLY = 30, 0.8  # runs up to which most of the chance is spent, and the share of it
LOOKS = (10, 15, 20, 25, PLANNED, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280)
FEWEST = 3  # runs that tell anything of their error; two may agree by chance
LEAST = 0.75  # see `two_way_variance`; by simulations: 1 covered up to 97 %, 0.25 down to 94
GRID, FURTHEST = 801, 8.0
POINTS = 100.0


class Answer(StrEnum):
    """What bounds allow to say."""

    HELPS = "helps"
    HURTS = "hurts"
    NO_LARGER = "no difference larger than"
    CANNOT_TELL = "cannot tell yet"


@dataclass(frozen=True)
class Measure:
    """A number by which methods are compared, written in points if it is a share."""

    name: str
    higher_is_better: bool
    points: bool
    margin: float

    def mean(self, value: float) -> str:
        return decimal(POINTS * value, 1) if self.points else decimal(value, 3)

    def bare(self, value: float) -> str:
        return signed(POINTS * value, 1) if self.points else signed(value, 3)

    def amount(self, value: float) -> str:
        return self.bare(value) + (" points" if self.points else "")

    def limit(self) -> str:
        return f"{POINTS * self.margin:.3g} points" if self.points else f"{self.margin:.3g}"


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences, its standard error, and the degrees of freedom of that."""

    mean: float
    se: float
    df: float

    def reach(self, level: float) -> float:
        """Return how far the truth lies from the mean with a chance of `level` on either side."""
        return -float(stdtrit(self.df, level)) * self.se


@dataclass(frozen=True)
class Verdict:
    """What paired runs say of one measure of a method, by graphs or by whole runs.

    Attributes:
        answer: once it is another than `CANNOT_TELL`, further runs do not change it.
        mean, runs: at the look that gave the answer, or at the last one.
        low, high: the true difference lies above `low` at all looks of a course with a chance of
            95 %, and below `high` with the same; infinite before the first look.
        needed: runs in all after which an answer is likely, if differences stay as they are.
    """

    measure: Measure
    differences: Array
    by_graph: bool
    answer: Answer
    mean: float
    low: float
    high: float
    runs: int
    needed: int | None = None

    @property
    def decided(self) -> bool:
        return self.answer is not Answer.CANNOT_TELL

    @property
    def more(self) -> int | None:
        """How many runs are missing, about; see `needed`."""
        return None if self.needed is None else self.needed - len(self.differences)

    def to_dict(self) -> dict[str, Any]:
        return {
            "outcome": self.measure.name,
            "verdict": str(self.answer),
            "difference": self.mean,
            "low": self.low,
            "high": self.high,
            "margin": self.measure.margin,
            "runs": self.runs,
            "more_runs_needed": self.more,
            "differences": self.differences.tolist(),
        }


def judge(
    measure: Measure, differences: Array, test_over_train: float, methods: int = 1
) -> Verdict:
    """Go through the looks that the runs allow; the first answer counts.

    *Helps*: the bounds leave zero out on the better side. *Hurts*: on the other. *No difference
    larger than d*: they lie within the margin on both sides. Each of these is wrong in 5 % of all
    courses at most, over all looks and methods.
    """

    def difference(runs: int) -> Difference:
        part = differences[:runs]
        return by_graph(part) if part.ndim == 2 else resampled_t(part, test_over_train)

    runs = len(differences)
    of_runs = np.nanmean(differences, 1) if differences.ndim == 2 else differences
    shared, now = (measure, of_runs, differences.ndim == 2), difference(runs)
    last = Verdict(*shared, Answer.CANNOT_TELL, now.mean, -math.inf, math.inf, runs)
    for look in (look for look in LOOKS if look <= runs):
        found, level = difference(look), levels(ERROR / methods)[look]
        half = found.reach(level) if math.isfinite(found.se) else math.inf
        low, high = found.mean - half, found.mean + half
        last = Verdict(*shared, _answer(measure, low, high), found.mean, low, high, look)
        if last.decided:
            return last
    return replace(last, needed=_needed(now, runs, measure.margin, methods))


def _answer(measure: Measure, low: float, high: float) -> Answer:
    if low > 0 or high < 0:
        return Answer.HELPS if (low > 0) == measure.higher_is_better else Answer.HURTS
    within = -measure.margin < low and high < measure.margin
    return Answer.NO_LARGER if within else Answer.CANNOT_TELL


def _needed(now: Difference, runs: int, margin: float, methods: int) -> int | None:
    """Return the first look that would decide if the error shrinks with the root of the runs."""
    room = max(abs(now.mean), margin - abs(now.mean))
    for look in (look for look in LOOKS if look > runs):
        then = Difference(now.mean, now.se * math.sqrt(runs / look), look - 1)
        if runs < FEWEST or then.reach(levels(ERROR / methods)[look]) < room:
            return look
    return None


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


def resampled_t(differences: Array, test_over_train: float) -> Difference:
    """Return the mean of one difference per run. Splits share most of their training graphs, so
    var = s^2 (1/J + n_test/n_train) takes the correlation of scores to be the share of test graphs
    (Nadeau and Bengio 2003).
    """
    J, mean = len(differences), float(differences.mean())
    if J == 1:
        return Difference(mean, math.inf, math.nan)
    variance = float(differences.var(ddof=1)) * (1 / J + test_over_train)
    return Difference(mean, math.sqrt(variance), J - 1)


def by_graph(differences: Array) -> Difference:
    """Return the mean difference over all tested graphs `[runs, graphs]`, nan where not tested.

    Other graphs might have been tested, and other splits drawn. The error is never taken for less
    than that of entries owed to nothing but luck: few runs may agree by chance.
    """
    tested = ~np.isnan(differences)
    kept = np.ix_(tested.any(1), tested.any(0))
    sums, counts = np.where(tested, differences, 0.0)[kept], tested[kept].astype(float)
    mean = float(sums.sum() / counts.sum())
    if min(counts.shape) < 2:
        return Difference(mean, math.inf, math.nan)
    variance, df = two_way_variance(sums, counts)
    least = math.sqrt(float((sums**2).sum())) / float(counts.sum())
    return Difference(mean, max(math.sqrt(variance), least), df)


def two_way_variance(sums: Array, counts: Array) -> tuple[float, float]:
    """Return the variance of `sums.sum() / counts.sum()` under random rows, columns and cells, and
    Satterthwaite's degrees of freedom of that.

    Squared residuals, summed by rows, by columns and by cells, have expectations that are linear in
    the three variances, which are solved for: unbiased whatever cells are empty. Rows are few
    (splits), so their part has R - 1 degrees of freedom; what columns add may be negative by
    chance, and the whole is no less than `LEAST` of the rows' part.
    """
    (R, C), N = counts.shape, counts.sum()
    residual = sums - counts * (sums.sum() / N)
    squares = np.array([(part**2).sum() for part in (residual.sum(1), residual.sum(0), residual)])
    sizes = np.array([(part**2).sum() for part in (counts.sum(1), counts.sum(0), counts)])
    expected = expectations(counts, sizes)
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


def expectations(counts: Array, sizes: Array) -> Array:
    """Return tr(P_k P_l) of the centred groupings by rows, by columns and by cells."""
    by_row, by_column, squared = counts.sum(1), counts.sum(0), counts**2
    rows, columns, cells = sizes
    # crossed[k, l]: how groups of kind k and l overlap; shared[k, l]: weighted by their sizes.
    crossed = np.array([[rows, cells, cells], [cells, columns, cells], [cells, cells, cells]])
    row_cell, column_cell = squared.sum(1) @ by_row, squared.sum(0) @ by_column
    row_column = by_row @ counts @ by_column
    shared = np.array(
        [
            [(by_row**3).sum(), row_column, row_cell],
            [row_column, (by_column**3).sum(), column_cell],
            [row_cell, column_cell, (counts**3).sum()],
        ]
    )
    N = counts.sum()
    return np.asarray(crossed - 2 * shared / N + np.outer(sizes, sizes) / N**2)
