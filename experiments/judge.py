"""What paired runs say of two arms: by graphs, by runs, and over datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from experiments.records import Record
from smixup.app.compare.evidence import two_way_variance
from smixup.app.runs.predictions import Predictions

Array = NDArray[np.float64]
Runs = Mapping[int, Record]
FEWEST = 3  # splits that tell an error; two may agree by chance
OUTCOMES: Mapping[str, Callable[[Predictions, float], Array]] = {
    "accuracy": lambda said, temperature: 100 * said.correct,
    "log_loss": lambda said, temperature: said.log_loss(),
    "brier": lambda said, temperature: said.brier(),
    "scaled_loss": lambda said, temperature: said.log_loss(temperature),
    "scaled_brier": lambda said, temperature: said.brier(temperature),
}
"""Of every graph; accuracy in points, *scaled* after the temperature of the validation split."""


@dataclass(frozen=True)
class Estimate:
    """A mean difference and its error.

    Attributes:
        se, df: standard error, and degrees of freedom of Student's quantiles.
        number: splits, runs or datasets that the error was learned from.
    """

    mean: float
    se: float
    df: float
    number: int

    def reach(self, level: float) -> float:
        """Return half the width of an interval."""
        known = math.isfinite(self.se)
        return float(stdtrit(self.df, (1 + level) / 2)) * self.se if known else math.inf

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - self.reach(0.95)

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + self.reach(0.95)

    @property
    def decided(self) -> bool:
        """Whether the 95 % interval leaves zero out."""
        return self.number >= FEWEST and (self.low > 0 or self.high < 0)

    @property
    def p(self) -> float:
        """Of no difference, two-sided; nan where nothing is known."""
        if not math.isfinite(self.se):
            return math.nan
        if self.se == 0:
            return float(self.mean == 0)
        return 2 * float(stdtr(self.df, -abs(self.mean) / self.se))

    def within(self, margin: float) -> bool:
        """Whether a larger difference is ruled out: two one-sided tests at 5 %."""
        return self.number >= FEWEST and abs(self.mean) + self.reach(0.90) < margin


@dataclass(frozen=True)
class Paired:
    """An outcome of one arm less that of another in runs of the same seeds.

    Attributes:
        differences: `[runs, graphs]`, nan where a graph was not tested.
        splits: what tells the split of each run from others.
        seeds: of the runs.
        reference: the mean outcome of the other arm.
    """

    differences: Array
    splits: Sequence[Hashable]
    seeds: Sequence[int]
    reference: float

    @property
    def estimate(self) -> Estimate:
        """The mean with its error by graphs and splits."""
        return by_graphs(self.differences, self.splits)


@dataclass(frozen=True)
class Difference:
    """One cell: an arm less another; `holm` is its p value among all cells of the comparison."""

    column: str
    backbone: str
    paired: Paired
    estimate: Estimate
    holm: float = math.nan


def compare(ours: Runs, theirs: Runs, outcome: str) -> Paired | None:
    """Compare runs at the seeds at which both have predictions; None if there are none."""
    first, second = (_of_graphs(runs, outcome) for runs in (ours, theirs))
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return None
    differences = np.stack([first[seed] - second[seed] for seed in seeds])
    reference = float(np.nanmean([second[seed] for seed in seeds]))
    return Paired(differences, [ours[seed].split for seed in seeds], seeds, reference)


def _of_graphs(runs: Runs, outcome: str) -> dict[int, Array]:
    """Return an outcome of every graph by seed. A run that kept no predictions of its validation
    split tells nothing of scaled outcomes: its temperature went to its bound.
    """
    return {
        seed: OUTCOMES[outcome](run.said, run.temperature)
        for seed, run in runs.items()
        if run.said is not None and (run.said.validated.any() or not outcome.startswith("scaled"))
    }


def by_graphs(differences: Array, splits: Iterable[Hashable]) -> Estimate:
    """Return the mean over all tested graphs. Its error allows for other graphs and for other
    splits; several trainings on one split do not count as new splits.
    """
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(split, len(numbers)) for split in splits]
    members = np.zeros((len(numbers), len(rows)))
    members[rows, np.arange(len(rows))] = 1
    tested = ~np.isnan(differences)
    sums, counts = members @ np.where(tested, differences, 0.0), members @ tested
    kept = np.ix_(counts.any(1), counts.any(0))
    sums, counts = sums[kept], counts[kept]
    mean, number = float(sums.sum() / counts.sum()), len(counts)
    if min(counts.shape) < 2:
        return Estimate(mean, math.inf, math.nan, number)
    variance, df = two_way_variance(sums, counts)
    return Estimate(mean, math.sqrt(variance), df, number)


def by_runs(differences: Sequence[float], test_over_train: float = 0.0) -> Estimate:
    """Return the mean of one difference per run.

    Args:
        differences: of two arms at the same seed.
        test_over_train: what random splits of one dataset share makes them alike; 1/8 corrects for
            that at splits of 80/10/10 (Nadeau and Bengio 2003), 0 is Student's interval.
    """
    number, mean = len(differences), fmean(differences)
    if number < FEWEST:
        return Estimate(mean, math.inf, math.nan, number)
    variance = float(np.var(differences, ddof=1)) * (1 / number + test_over_train)
    return Estimate(mean, math.sqrt(variance), number - 1, number)


def averaged(parts: Sequence[Paired]) -> Paired | None:
    """Return the mean of comparisons, such as of two backbones, in the runs that all have."""
    seeds = sorted(set.intersection(*(set(part.seeds) for part in parts))) if parts else []
    if not seeds:
        return None
    rows = [[part.seeds.index(seed) for seed in seeds] for part in parts]
    mean = np.mean([part.differences[row] for part, row in zip(parts, rows, strict=True)], 0)
    splits = [parts[0].splits[row] for row in rows[0]]
    return Paired(mean, splits, seeds, fmean(part.reference for part in parts))


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's p values: below 0.05 they are right all at once with a chance of 95 %. Cells
    without a test, nan, do not count.
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    tested = order[: int((~np.isnan(values)).sum())]
    raised = values[tested] * np.arange(len(tested), 0, -1)
    adjusted = np.full(len(values), np.nan)
    adjusted[tested] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted.tolist()


def with_holm(cells: Sequence[Difference]) -> list[Difference]:
    """Return the cells of a comparison with their p values after Holm's correction."""
    adjusted = holm([cell.estimate.p for cell in cells])
    return [replace(cell, holm=p) for cell, p in zip(cells, adjusted, strict=True)]


def by_dataset(cells: Sequence[Difference], columns: Sequence[str]) -> dict[str, Estimate]:
    """Return an estimate for every column, backbones averaged. A dataset needs three splits: an
    error learned from two may be next to nothing by chance, and would outweigh all others.
    """
    parts = {name: [cell.paired for cell in cells if cell.column == name] for name in columns}
    found = {name: averaged(each) for name, each in parts.items()}
    estimates = {name: each.estimate for name, each in found.items() if each is not None}
    return {k: e for k, e in estimates.items() if e.number >= FEWEST and 0 < e.se < math.inf}


def over_datasets(
    cells: Sequence[Difference], columns: Sequence[str]
) -> tuple[Estimate, float] | None:
    """Pool columns of different datasets; None if fewer than two have an estimate."""
    known = by_dataset(cells, columns).values()
    return (
        random_effects([e.mean for e in known], [e.se for e in known]) if len(known) > 1 else None
    )


def random_effects(means: Sequence[float], errors: Sequence[float]) -> tuple[Estimate, float]:
    """Return the mean effect over datasets like these, and how far effects differ between them.

    The spread tau is Paule and Mandel's: with weights w = 1 / (se^2 + tau^2) the weighted squares
    about the mean add up to k - 1, as they should on average. The interval is that of Hartung and
    Knapp, Student's at k - 1, never narrower than with the usual variance 1 / sum(w).
    """
    y, variances, k = np.asarray(means), np.asarray(errors) ** 2, len(means)

    def pooled(tau_squared: float) -> tuple[Array, float, float]:
        w = 1 / (variances + tau_squared)
        mean = float(w @ y / w.sum())
        return w, mean, float(w @ (y - mean) ** 2) / (k - 1)

    most = float(np.var(y, ddof=1))  # at which no weighted square can be too large
    tau_squared = 0.0
    if pooled(0.0)[2] > 1:
        too_large = pooled(most)[2] >= 1
        tau_squared = most if too_large else brentq(lambda t: pooled(t)[2] - 1, 0, most, xtol=1e-15)
    w, mean, square = pooled(tau_squared)
    se = math.sqrt(max(1.0, square) / w.sum())
    return Estimate(mean, se, k - 1, k), math.sqrt(tau_squared)


def chosen(runs: Mapping[str, Runs], by_fold: bool) -> dict[int, Record]:
    """Return the runs of the setting with the best mean validation score, for every test fold by
    itself if asked. Only settings with the most finished seeds compete; the test split has no say.

    Args:
        runs: by setting.
        by_fold: as nested cross-validation chooses.
    """
    folds = {run.split[0] if by_fold else 0 for each in runs.values() for run in each.values()}
    best: dict[int, Record] = {}
    for fold in folds:
        parts = [
            {seed: run for seed, run in each.items() if not by_fold or run.split[0] == fold}
            for each in runs.values()
        ]
        most = max(len(part) for part in parts)
        full = [part for part in parts if len(part) == most]
        merits = [fmean(run.validation for run in part.values()) for part in full]
        best |= full[merits.index(max(merits))]
    return best
