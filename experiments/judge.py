"""What paired runs say of two arms: by graphs, by runs, and over datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp, stdtr

from experiments.records import Record
from smixup.app.compare import evidence
from smixup.app.runs.predictions import Predictions

Array = NDArray[np.float64]
Runs = Mapping[int, Record]
FEWEST = 3  # splits that tell an error; two may agree by chance
OUTCOMES: Mapping[str, Callable[[Predictions, float], Array]] = {
    "accuracy": lambda said, temperature: 100 * said.correct,
    "scaled_loss": lambda said, temperature: log_loss(said, temperature),
}
"""Of every graph; accuracy in points, log loss after the temperature of the validation split."""


def log_loss(said: Predictions, temperature: float = 1.0) -> Array:
    """Return the cross-entropy of every graph `[G]`, nan if not tested."""
    logits = said.logits.astype(np.float64) / temperature
    own = np.take_along_axis(logits, np.maximum(said.labels, 0)[:, None], 1)[:, 0]
    return np.where(said.tested, logsumexp(logits, axis=1) - own, np.nan)


@dataclass(frozen=True)
class Estimate(evidence.Estimate):
    """A mean difference, its error, and how many splits, runs or datasets tell of that."""

    number: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - self.reach(0.025)

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + self.reach(0.025)

    @property
    def decided(self) -> bool:
        """Whether the 95 % interval leaves zero out."""
        return self.number >= FEWEST and (self.low > 0 or self.high < 0)

    @property
    def p(self) -> float:
        """Of no difference, two-sided; nan where the error is not known."""
        known = 0 < self.se < math.inf
        return 2 * float(stdtr(self.df, -abs(self.mean) / self.se)) if known else math.nan


@dataclass(frozen=True)
class Difference:
    """An outcome of one arm less that of another, in the runs of a cell at the same seeds.

    Attributes:
        values: `[runs, graphs]`, nan where a graph was not tested.
        splits: what tells the split of each run from others.
        seeds: of the runs.
        reference: the mean outcome of the other arm.
    """

    column: str
    backbone: str
    values: Array
    splits: Sequence[Hashable]
    seeds: Sequence[int]
    reference: float

    @cached_property
    def estimate(self) -> Estimate:
        """The mean with its error by graphs and splits."""
        return by_graphs(self.values, self.splits)


def compare(
    column: str, backbone: str, ours: Runs, theirs: Runs, outcome: str = "accuracy"
) -> Difference | None:
    """Compare runs at the seeds at which both have predictions; None if there are none."""
    first, second = (_of_graphs(runs, outcome) for runs in (ours, theirs))
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return None
    values = np.stack([first[seed] - second[seed] for seed in seeds])
    reference = float(np.nanmean([second[seed] for seed in seeds]))
    splits = [ours[seed].split for seed in seeds]
    return Difference(column, backbone, values, splits, seeds, reference)


def _of_graphs(runs: Runs, outcome: str) -> dict[int, Array]:
    """Return an outcome of every graph by seed. A run that kept no predictions of its validation
    split tells nothing of scaled outcomes: its temperature went to its bound.
    """
    return {
        seed: OUTCOMES[outcome](run.said, run.temperature)
        for seed, run in runs.items()
        if run.said is not None and (run.said.validated.any() or not outcome.startswith("scaled"))
    }


def by_graphs(values: Array, splits: Sequence[Hashable]) -> Estimate:
    """Return the mean over all tested graphs. Its error allows for other graphs and for other
    splits; several trainings on one split do not count as new splits.
    """
    members = np.array([[split == own for split in splits] for own in dict.fromkeys(splits)])
    tested = ~np.isnan(values)
    sums, counts = members @ np.where(tested, values, 0.0), members.astype(float) @ tested
    kept = np.ix_(counts.any(1), counts.any(0))
    sums, counts = sums[kept], counts[kept]
    mean, number = float(sums.sum() / counts.sum()), len(counts)
    if min(counts.shape) < 2:
        return Estimate(mean, math.inf, math.nan, number)
    variance, df = evidence.two_way_variance(sums, counts)
    return Estimate(mean, math.sqrt(variance), df, number)


def by_runs(differences: Sequence[float], test_over_train: float = 0.0) -> Estimate:
    """Return the mean of one difference per run.

    Args:
        differences: of two arms at the same seed.
        test_over_train: what random splits of one dataset share makes them alike; 1/8 corrects for
            that at splits of 80/10/10 (Nadeau and Bengio 2003), 0 is Student's interval.
    """
    found = evidence.resampled_t(np.asarray(differences, dtype=float), test_over_train)
    se = found.se if len(differences) >= FEWEST else math.inf
    return Estimate(found.mean, se, found.df, len(differences))


def averaged(parts: Sequence[Difference]) -> Difference | None:
    """Return the mean of differences, such as of two backbones, in the runs that all have."""
    seeds = sorted(set.intersection(*(set(part.seeds) for part in parts))) if parts else []
    if not seeds:
        return None
    rows = [[part.seeds.index(seed) for seed in seeds] for part in parts]
    mean = np.mean([part.values[row] for part, row in zip(parts, rows, strict=True)], 0)
    splits = [parts[0].splits[row] for row in rows[0]]
    reference = fmean(part.reference for part in parts)
    return Difference(parts[0].column, "averaged", mean, splits, seeds, reference)


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


def by_dataset(cells: Sequence[Difference], columns: Sequence[str]) -> dict[str, Estimate]:
    """Return an estimate for every column, backbones averaged. A dataset needs three splits: an
    error learned from two may be next to nothing by chance, and would outweigh all others.
    """
    means = (averaged([cell for cell in cells if cell.column == name]) for name in columns)
    known = {mean.column: mean.estimate for mean in means if mean is not None}
    return {k: e for k, e in known.items() if e.number >= FEWEST and 0 < e.se < math.inf}


def over_datasets(
    cells: Sequence[Difference], columns: Sequence[str]
) -> tuple[Estimate, float] | None:
    """Pool columns of different datasets; None if fewer than two have an estimate."""
    known = by_dataset(cells, columns).values()
    if len(known) < 2:
        return None
    return random_effects([each.mean for each in known], [each.se for each in known])


def random_effects(means: Sequence[float], errors: Sequence[float]) -> tuple[Estimate, float]:
    """Return the mean effect over datasets like these, and how far effects differ between them.

    The spread tau is Paule and Mandel's: with weights w = 1 / (se^2 + tau^2) the weighted squares
    about the mean add up to k - 1, as they should on average. The interval is that of Hartung and
    Knapp, Student's at k - 1, never narrower than with the usual variance 1 / sum(w).
    """
    y, variances, k = np.asarray(means), np.asarray(errors) ** 2, len(means)

    def pooled(tau_squared: float) -> tuple[float, float, float]:
        """Return the mean, the weighted squares over k - 1, and the sum of the weights."""
        w = 1 / (variances + tau_squared)
        mean = float(w @ y / w.sum())
        return mean, float(w @ (y - mean) ** 2) / (k - 1), float(w.sum())

    most = 2 * float(np.var(y, ddof=1))  # at which the squares are one half or less
    excess = lambda tau_squared: pooled(tau_squared)[1] - 1  # noqa: E731
    tau_squared = brentq(excess, 0, most, xtol=1e-15) if excess(0) > 0 else 0.0
    mean, squares, weight = pooled(tau_squared)
    se = math.sqrt(max(1.0, squares) / weight)
    return Estimate(mean, se, k - 1, k), math.sqrt(tau_squared)


def chosen(runs: Mapping[str, Runs]) -> dict[int, Record]:
    """Return the runs, by setting, of the one with the best mean validation score, as nested
    cross-validation does: for every test fold by itself. Only settings with the most finished
    seeds compete; the test split has no say.
    """
    best: dict[int, Record] = {}
    for fold in {run.split[0] for each in runs.values() for run in each.values()}:
        parts = [
            {seed: run for seed, run in each.items() if run.split[0] == fold}
            for each in runs.values()
        ]
        most = max(map(len, parts))
        full = [part for part in parts if len(part) == most]
        best |= max(full, key=lambda part: fmean(run.validation for run in part.values()))
    return best
