"""`smixup demo` on MOTIF, without a download: how much of a motif arrives in a mix, whether mixing
raises accuracy where labels are few (Sec. 5.1), and the page that shows both.

The design was set before it was run: 25 labels and a GCN are where the records have the clearest
gain for the time, and nine paired runs show a gain of 5 points about three times out of four.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Annotated

import numpy as np
import torch

from smixup.app.compare.evidence import FEWEST, resampled_t
from smixup.app.explorer import (
    PUBLISHED,
    QUICK_STEPS,
    RANDOM,
    published_matcher,
)
from smixup.app.pages.page import render
from smixup.app.pictures.methods import DotRow, draw_dots, title_of
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, make_matcher
from smixup.app.runs.run import RunResult, versions
from smixup.app.words import capital, counted, signed
from smixup.app.workers import Job, run_jobs
from smixup.datasets.motif import CLASSES
from smixup.errors import SmixupError
from smixup.matching import Matcher
from smixup.matching.lessons import TripletSampler
from smixup.matching.quality import motif_kept
from smixup.progress import Progress, Report, silent, within
from smixup.ranges import Count, Range, RangedFields, Steps
from smixup.seeding import generator

SEED, PAIRS, PUBLISHED_STEPS, SHOWN_RATIO, BATCH = 0, 200, 80, 0.5, 25
UNIFORM, OURS = "uniform", DEFAULT_MATCHER
VANILLA, CONTROL, SMIXUP = "Vanilla", "random alignment", "S-Mixup"
ARMS: dict[str, tuple[str, dict[str, object]]] = {
    VANILLA: ("vanilla", {}),
    CONTROL: ("s-mixup", {"matcher": RANDOM, "matcher.partial": True}),
    SMIXUP: ("s-mixup", {"matcher.max_steps": QUICK_STEPS}),
}
"""Method and settings by name."""
SHARES_HEADER = ("nodes are matched", "kept, %", "95 % interval")
SCORES_HEADER = ("method", "acc. %", "points", "95 % interval", "loss")
PERCENT = "\N{NO-BREAK SPACE}%"
SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm"),
    *("epochs", "batch_size", "learning_rate"),
)


Mean = tuple[float, float, float]


def mean_of(numbers: Sequence[float]) -> Mean:
    """Return a mean with Student's 95 % interval, infinite for fewer than three numbers."""
    found = resampled_t(np.array(numbers), 0.0)
    half = found.reach(0.025) if len(numbers) >= FEWEST else math.inf
    return found.mean, found.mean - half, found.mean + half


@dataclass(frozen=True)
class Shares:
    """What mixes keep of a motif: the percentage of its edges in every pair, by matcher, the first
    pair along a random alignment and along S-Mixup's, and the matchers, fitted.
    """

    of: dict[str, list[float]]
    shown: dict[str, MixedPair]
    matchers: dict[str, Matcher] = field(repr=False)

    def mean(self, matcher: str) -> Mean:
        """Return the mean; Student's interval knows nothing of the bounds of a share."""
        mean, low, high = mean_of(self.of[matcher])
        return mean, max(low, 0.0), min(high, 100.0)

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row per matcher under `SHARES_HEADER`."""
        means = [(title_of(name), *self.mean(name)) for name in self.of]
        return [
            (name, f"{mean:.1f}", f"{low:.1f} to {high:.1f}") for name, mean, low, high in means
        ]

    def sentence(self) -> str:
        ours, random = (f"{self.mean(name)[0]:.1f}{PERCENT}" for name in (OURS, RANDOM))
        return (
            f"A mix along S-Mixup's alignment keeps {ours} of the motif, a mix along a random "
            f"alignment {random}."
        )


def motif_shares(report: Report = silent) -> Shares:
    """Fit matchers on the training split of MOTIF; mix pairs of one class of the other splits."""
    opened = open_dataset("MOTIF", SEED)
    matchers = {name: make_matcher(name, SEED, {}) for name in (RANDOM, UNIFORM)}
    published = published_matcher(SEED, PUBLISHED_STEPS)
    matchers[PUBLISHED] = published.fit(opened.train, within("the paper's", report))
    quick = make_matcher(OURS, SEED, {"max_steps": QUICK_STEPS})
    matchers[OURS] = quick.fit(opened.train, report)
    sampler, random = TripletSampler.of(opened.held_out.labels), generator(SEED, "case study")
    triplets = [sampler.draw(1, random) for _ in range(PAIRS)]
    anchor, positive, _ = (torch.cat(each) for each in zip(*triplets, strict=True))
    left, right = opened.held_out[anchor], opened.held_out[positive]
    shares, shown = Shares({}, {}, matchers), (RANDOM, OURS)
    for name, matcher in matchers.items():
        M = matcher(left, right)
        shares.of[name] = (100 * motif_kept(M, left, right)).tolist()
        if name in shown:  # the very assignment that was measured
            block = M.blocks_of(left.ptr, torch.tensor([0]), right.ptr)
            shares.shown[name] = MixedPair.along(block, left[[0]], right[[0]], SHOWN_RATIO)
    return shares


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

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row per method under `SCORES_HEADER`; the first one is the reference."""
        rows = list[tuple[str, ...]]()
        for arm, results in self.of.items():
            scores = [100 * result.test for result in results]
            spread = f" ± {stdev(scores):.1f}" if len(scores) > 1 else ""
            points, interval = "", "reference"
            if arm != VANILLA:
                mean, low, high = mean_of(self.points(arm, VANILLA))
                points, interval = signed(mean, 1), f"none below n = {FEWEST}"
                if len(scores) >= FEWEST:
                    interval = f"{signed(low, 1)} to {signed(high, 1)}"
            loss = fmean(result.test_loss for result in results)
            rows.append((arm, f"{fmean(scores):.1f}{spread}", points, interval, f"{loss:.2f}"))
        return rows

    def sentences(self) -> list[str]:
        """Say what the intervals allow to say of accuracy: each method beside Vanilla, then what
        the alignment itself adds.
        """
        beside_vanilla = [capital(self._compared(arm, VANILLA)) for arm in (CONTROL, SMIXUP)]
        return [*beside_vanilla, f"What the alignment adds: {self._compared(SMIXUP, CONTROL)}"]

    def _compared(self, arm: str, other: str) -> str:
        """Compare two arms in a sentence, which may stand behind a colon."""
        mean, low, high = mean_of(self.points(arm, other))
        points = f"{signed(mean, 1)} points"
        if not math.isfinite(low):
            number = counted(self.settings.seeds, "paired run")
            return f"{arm} minus {other}: {points}; {number} cannot decide anything."
        bounds = f"with an interval of [{signed(low, 1)}, {signed(high, 1)}]."
        if low > 0 or high < 0:
            side = "above" if mean > 0 else "below"
            return f"{arm} is {abs(mean):.1f} points {side} {other}, {bounds}"
        return f"these runs do not decide between {arm} and {other}: {points}, {bounds}"


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


def demo_page(shares: Shares, runs: Runs, explorer: str, next_command: str) -> str:
    """Return the page, with links to the page of pairs and a command for the reader's own data."""
    settings, sentences = runs.settings, runs.sentences()
    config = settings.config(VANILLA, 0).to_dict()
    kept = [DotRow(name, of, *shares.mean(name)) for name, of in shares.of.items()]
    points = {arm: runs.points(arm, VANILLA) for arm in (CONTROL, SMIXUP)}
    gains = [DotRow(arm, of, *mean_of(of)) for arm, of in points.items()]
    return render(
        "pages/demo.html",
        title=shares.sentence(),
        subtitle=f"Accuracy with {settings.labels} labels: {' '.join(sentences[1:])}",
        settings=settings,
        sentences=sentences,
        shares=draw_dots(kept, "motif kept, %", margin=0.0),
        dots=draw_dots(gains, "difference of accuracy, points", margin=0.0),
        pairs={
            f"a pair, mixed along {way}": draw_mixed_pair(shares.shown[name], CLASSES)
            for name, way in ((RANDOM, "a random alignment"), (OURS, "S-Mixup's alignment"))
        },
        kept={name: f"{of[0]:.0f}" for name, of in shares.of.items()},
        number=PAIRS,
        scores=(SCORES_HEADER, runs.rows()),
        explorer=explorer,
        next_command=next_command,
        rows=[*((name, str(config[name])) for name in SHOWN), *versions().items()],
    )
