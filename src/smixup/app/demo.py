"""What `smixup demo` shows on MOTIF, without a download: how much of a motif arrives in a mix, and
whether mixing raises accuracy where labels are few (Sec. 5.1).

The design was set before it was run: 25 labels and a GCN are where the records have the clearest
gain for the time, and nine paired runs show a gain of 5 points about three times out of four.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Annotated

import torch
from scipy.stats import t as student

from smixup.app.explorer.page import (
    PUBLISHED,
    QUICK_STEPS,
    RANDOM,
    published_matcher,
    quick_matcher,
)
from smixup.app.pictures.mixed_pair import MixedPair
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, make_matcher
from smixup.app.runs.run import RunResult
from smixup.app.workers import Job, run_jobs
from smixup.errors import SmixupError
from smixup.matching import Matcher
from smixup.matching.lessons import TripletSampler
from smixup.matching.quality import motif_kept
from smixup.progress import Progress, Report, silent, within
from smixup.ranges import Count, Range, RangedFields, Steps
from smixup.seeding import generator

SEED, PAIRS, PUBLISHED_STEPS, SHOWN_RATIO, BATCH = 0, 200, 80, 0.5, 25
FEWEST = 3  # runs that decide anything: two may agree by chance
UNIFORM, OURS = "uniform", DEFAULT_MATCHER
ARMS: dict[str, tuple[str, dict[str, object]]] = {
    "Vanilla": ("vanilla", {}),
    "random alignment": ("s-mixup", {"matcher": RANDOM, "matcher.partial": True}),
    "S-Mixup": ("s-mixup", {"matcher.max_steps": QUICK_STEPS}),
}
"""Method and settings by name; the first is the reference."""


@dataclass(frozen=True)
class Mean:
    """A mean with Student's 95 % interval, which is infinite for fewer than three numbers."""

    mean: float
    low: float
    high: float
    number: int

    @classmethod
    def of(cls, numbers: list[float]) -> Mean:
        """Summarise independent numbers."""
        count, half = len(numbers), math.inf
        if count >= FEWEST:
            half = float(student.ppf(0.975, count - 1)) * stdev(numbers) / math.sqrt(count)
        return cls(fmean(numbers), fmean(numbers) - half, fmean(numbers) + half, count)

    @property
    def decided(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Shares:
    """What mixes keep of a motif: shares of its edges by matcher, those of the first pair, that
    pair along a random alignment and along S-Mixup's, and the matchers, fitted.
    """

    means: dict[str, Mean]
    first: dict[str, float]
    shown: dict[str, MixedPair]
    matchers: dict[str, Matcher] = field(repr=False)

    @property
    def number(self) -> int:
        """How many pairs were mixed."""
        return self.means[OURS].number


def motif_shares(report: Report = silent) -> Shares:
    """Fit matchers on the training split of MOTIF; mix pairs of one class of the other splits."""
    opened = open_dataset("MOTIF", SEED)
    matchers = {name: make_matcher(name, SEED, {}) for name in (RANDOM, UNIFORM)}
    published = published_matcher(SEED, PUBLISHED_STEPS)
    matchers[PUBLISHED] = published.fit(opened.train, within("the paper's", report))
    matchers[OURS] = quick_matcher(OURS, SEED).fit(opened.train, report)
    sampler, random = TripletSampler.of(opened.held_out.labels), generator(SEED, "case study")
    triplets = [sampler.draw(1, random) for _ in range(PAIRS)]
    anchor, positive, _ = (torch.cat(each) for each in zip(*triplets, strict=True))
    left, right = opened.held_out[anchor], opened.held_out[positive]
    means, first, shown = {}, {}, {}
    for name, matcher in matchers.items():
        M = matcher(left, right)
        shares = motif_kept(M, left, right).tolist()
        means[name], first[name] = Mean.of(shares), shares[0]
        if name in (RANDOM, OURS):  # the very assignment that was measured
            block = M.to_sparse().blocks_of(left.ptr, torch.tensor([0]), right.ptr)
            shown[name] = MixedPair.along(block, left[[0]], right[[0]], SHOWN_RATIO)
    return Shares(means, first, shown, matchers)


@dataclass(frozen=True)
class DemoSettings(RangedFields):
    """Which runs are compared: seeds, which all arms share, graphs to train on (as many validate),
    epochs of the classifier, and graphs to test on.
    """

    seeds: Annotated[int, Range(1, limit=1000)] = 9
    labels: Annotated[int, Range(6, limit=100_000)] = 25
    epochs: Steps = 240
    test_graphs: Count = 500

    def config(self, arm: str, seed: int) -> RunConfig:
        """Return the configuration of one run."""
        method, settings = ARMS[arm]
        return configure(
            "MOTIF",
            "gcn",
            method,
            seed,
            method_settings=settings,
            epochs=self.epochs,
            batch_size=min(self.labels, BATCH),
            split="few",
            train_graphs=self.labels,
            dataset_options={"num_graphs": 2 * self.labels + self.test_graphs, "seed": seed},
        )


@dataclass(frozen=True)
class Runs:
    """The runs of all arms, one per seed."""

    settings: DemoSettings
    of: dict[str, list[RunResult]]

    def points(self, arm: str, other: str) -> list[float]:
        """Return how much higher the accuracy of an arm is at each seed, in points."""
        pairs = zip(self.of[arm], self.of[other], strict=True)
        return [100 * (ours.test - theirs.test) for ours, theirs in pairs]

    def difference(self, arm: str, other: str) -> Mean:
        """Return the mean of these points."""
        return Mean.of(self.points(arm, other))


def paired_runs(settings: DemoSettings, workers: int = 1, report: Report = silent) -> Runs:
    """Run all arms at all seeds."""
    seeds = range(settings.seeds)
    key = "{} at seed {}".format
    jobs = [Job(key(arm, seed), settings.config(arm, seed)) for seed in seeds for arm in ARMS]
    results: dict[str, RunResult] = {}
    report(Progress("paired runs", 0, len(jobs), unit="runs"))
    with closing(run_jobs(jobs, workers)) as outcomes:
        for outcome in outcomes:
            if outcome.result is None:
                raise SmixupError(f"{outcome.key} failed: {outcome.error}")
            results[outcome.key] = outcome.result
            report(Progress("paired runs", len(results), len(jobs), unit="runs"))
    return Runs(settings, {arm: [results[key(arm, seed)] for seed in seeds] for arm in ARMS})
