"""Looking at paired runs again and again: bounds that are wrong in 5 % of whole courses at most.

One who looks after every run, and stops when the usual interval leaves zero out, finds a difference
between equals in a quarter of all courses. Here looks are planned once for all (after 10, 15, 20,
25, 30 runs, then 40, 60, 80, 120, ...), and the 5 % are spent on them little by little: four fifths
up to 30 runs, as O'Brien and Fleming's boundary does it (Lan and DeMets 1983), so that early looks
must be very sure; the rest on all later ones. The plan does not ask how many runs were wanted, so
that more may be added to what was seen: the bounds hold for every course, however long, and
whenever it is left.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.paired_graphs import cells_of, of_cells
from smixup.app.evidence.student import quantile
from smixup.errors import require, require_number

ERROR = 0.05
"""The chance of a wrong bound on one side, over the whole course and all methods."""

PLANNED = 30
"""Runs up to which most of the chance is spent."""

EARLY = 0.8
"""The share of it."""

LOOKS = (
    *(10, 15, 20, 25, PLANNED),
    *(40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280),
)
"""Paired runs after which one looks."""

GRID, FURTHEST = 801, 8.0


@dataclass(frozen=True)
class Bounds:
    """What a look allows to say of a mean difference.

    Attributes:
        estimate: of all runs up to the look.
        low, high: the true difference lies above `low` at all looks of a course with a chance of
            95 %, and below `high` with the same; infinite before the first look.
        runs: paired runs.
    """

    estimate: Estimate
    low: float
    high: float
    runs: int


def spent(runs: int, error: float = ERROR) -> float:
    """Return how much of the chance to be wrong may be used up after so many runs."""
    if runs <= PLANNED:
        early = EARLY * error
        return float(2 * norm.sf(norm.isf(early / 2) / math.sqrt(runs / PLANNED)))
    return error * (1 - (1 - EARLY) * PLANNED / runs)


@lru_cache
def levels(error: float = ERROR, looks: tuple[int, ...] = LOOKS) -> dict[int, float]:
    """Return the one-sided level of the test at each look, such that the first crossings up to a
    look add up to `spent`.
    """
    return dict(zip(looks, spending_levels(looks, [spent(n, error) for n in looks]), strict=True))


def spending_levels(information: Sequence[float], spending: Sequence[float]) -> list[float]:
    """Return one-sided levels at which a sum of independent increments first crosses with given
    chances (Armitage, McPherson and Rowe's recursion).

    ```python
    half = [2 * norm.sf(norm.isf(0.0125) / math.sqrt(t)) for t in (0.2, 0.4, 0.6, 0.8, 1)]
    norm.isf(spending_levels((1, 2, 3, 4, 5), half))    # 4.877, 3.357, 2.680, 2.290, 2.031
    ```

    Args:
        information: [K] at each look, rising; only ratios matter.
        spending: [K] chance of a crossing up to each look, rising.
    """
    found: list[float] = []
    places, density, before, used = np.zeros(1), np.ones(1), 0.0, 0.0
    for now, until in zip(information, spending, strict=True):
        require(now > before and until > used, "a look", (now, until), "later than the one before")
        step = math.sqrt(now - before)
        width, from_, mass, share = math.sqrt(now), places, density, until - used

        def crossing(z: float, s: float = step, w: float = width) -> float:
            # `from_` and `mass` are those of this look: it is solved before they change.
            return float(norm.sf((z * w - from_) / s) @ mass)  # noqa: B023

        z = float(brentq(lambda each: crossing(each) - share, -FURTHEST, 12.0, xtol=1e-10))  # noqa: B023
        found.append(float(norm.sf(z)))
        places = np.linspace(-FURTHEST * width, z * width, GRID)
        weights = _simpson(GRID) * (places[1] - places[0]) / 3
        density = (norm.pdf((places[:, None] - from_) / step) / step) @ mass * weights
        before, used = now, until
    return found


def _simpson(number: int) -> np.ndarray:
    """Return 1, 4, 2, 4, ..., 4, 1."""
    weights = np.full(number, 2.0)
    weights[1::2], weights[0], weights[-1] = 4.0, 1.0, 1.0
    return weights


def paired_look(differences: np.ndarray, clusters: Iterable[Hashable]) -> Estimate:
    """Return the mean difference by graph as `paired_graphs` does, never surer than its entries.

    Few runs may agree by chance, and the spread between them then says nothing. If no entry is
    owed to anything but luck, the variance is the sum of squared entries over the square of their
    number; it is not taken for less.
    """
    sums, counts = cells_of(differences, clusters)
    found = of_cells(sums, counts)
    least = math.sqrt(float((sums**2).sum())) / float(counts.sum())
    if not math.isfinite(found.se) or found.se >= least:
        return found
    return Estimate.student(found.mean, least, found.df, found.number)


def bounds(estimate: Estimate, runs: int, methods: int = 1) -> Bounds:
    """Return the bounds of an estimate at a look.

    Args:
        estimate: of the first `runs` runs, by `paired_look` or `resampled_t`.
        runs: one of `LOOKS`; fewer than the first of them leave everything open.
        methods: how many are compared with one reference: each has its share of the chance, so that
            all bounds hold at once (Bonferroni).
    """
    require_number("methods", methods, at_least=1, whole=True)
    level = levels(ERROR / methods).get(runs)
    if level is None or not math.isfinite(estimate.se):
        return Bounds(estimate, -math.inf, math.inf, runs)
    half = -quantile(level, estimate.df) * estimate.se
    return Bounds(estimate, estimate.mean - half, estimate.mean + half, runs)


def half_width(se: float, runs: int, look: int, methods: int = 1) -> float:
    """Return how far bounds would reach at a later look, if a standard error after so many runs
    shrinks with the root of their number.
    """
    level = levels(ERROR / methods)[look]
    return -quantile(level, max(look - 1, 1)) * se * math.sqrt(runs / look)
