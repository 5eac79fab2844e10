"""`smixup demo` on MOTIF, without a download: how much of a motif arrives in a mix, and the paper's
sentence (Sec. 5.1): mixing along random alignments ruins a network that mixing along right ones
does not. The page shows both.

The design was set before it was run: few labels, a GIN, and mixes in place of the originals at a
large alpha, so that what is trained on is mostly what alignments make of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch

from smixup.app.compare.evidence import resampled_t
from smixup.app.explorer import PUBLISHED, QUICK_STEPS, RANDOM, published_matcher
from smixup.app.pages.page import render
from smixup.app.pictures.methods import DotRow, draw_dots, title_of
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, make_matcher
from smixup.app.words import capital, signed
from smixup.app.workers import Job, run_jobs
from smixup.datasets.motif import CLASSES
from smixup.errors import SmixupError
from smixup.matching import Matcher
from smixup.matching.controls import motif_kept
from smixup.matching.lessons import TripletSampler
from smixup.progress import Progress, Report, silent, within
from smixup.seeding import generator

SEED, PAIRS, SHOWN_RATIO = 0, 200, 0.5
SEEDS, LABELS, TEST_GRAPHS, EPOCHS = 9, 25, 500, 400
PUBLISHED_STEPS = 80
UNIFORM, OURS = "uniform", DEFAULT_MATCHER
VANILLA, CONTROL, SMIXUP = "Vanilla", "random alignment", "S-Mixup"
SOFT = title_of(PUBLISHED)
DOSE: Mapping[str, Any] = {"alpha": 5.0, "amount": None}
SHARES_HEADER = ("nodes are matched", "kept, %", "95 % interval")
SCORES_HEADER = ("mixed along", "accuracy, %", "points", "95 % interval")
PERCENT = "\N{NO-BREAK SPACE}%"
Mean = tuple[float, float, float]


def arms() -> dict[str, dict[str, Any]]:
    """Return settings of S-Mixup by arm; none of Vanilla."""
    soft = published_matcher(0, PUBLISHED_STEPS).settings
    soft = {f"matcher.{name}": value for name, value in soft.items() if name != "seed"}
    return {
        VANILLA: {},
        CONTROL: {**DOSE, "matcher": RANDOM, "matcher.partial": True},
        SOFT: {**DOSE, **soft, "transport": "paper"},
        SMIXUP: {**DOSE, "matcher.max_steps": QUICK_STEPS},
    }


def config_of(arm: str, seed: int) -> RunConfig:
    """Return one run: a few graphs to train on, as many to validate, and others to test on."""
    settings = arms()[arm]
    return configure(
        "MOTIF",
        "gin",
        "s-mixup" if settings else "vanilla",
        seed,
        method_settings=settings,
        epochs=EPOCHS,
        batch_size=LABELS,
        split="few",
        train_graphs=LABELS,
        dataset_options={"num_graphs": 2 * LABELS + TEST_GRAPHS, "seed": seed},
    )


def mean_of(numbers: Sequence[float]) -> Mean:
    """Return a mean with Student's 95 % interval."""
    found = resampled_t(np.array(numbers), 0.0)
    return found.mean, found.mean - found.reach(0.025), found.mean + found.reach(0.025)


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
            block, *_ = M.select_blocks(left.ptr, torch.tensor([0]), right.ptr)
            shares.shown[name] = MixedPair.along(block, left[[0]], right[[0]], SHOWN_RATIO)
    return shares


@dataclass(frozen=True)
class Scores:
    """Accuracies of all arms in per cent, one per seed."""

    of: dict[str, list[float]]

    def points(self, arm: str, other: str = VANILLA) -> list[float]:
        """Return how much higher an arm is at each seed."""
        return [a - b for a, b in zip(self.of[arm], self.of[other], strict=True)]

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row per arm under `SCORES_HEADER`; the first one is the reference."""
        rows = list[tuple[str, ...]]()
        for arm, scores in self.of.items():
            mean, low, high = mean_of(self.points(arm))
            interval = f"{signed(low, 1)} to {signed(high, 1)}"
            if arm == VANILLA:
                arm, interval = "nothing (Vanilla)", "reference"
            accuracy = f"{fmean(scores):.1f} ± {stdev(scores):.1f}"
            rows.append((arm, accuracy, signed(mean, 1), interval))
        return rows

    def sentences(self) -> list[str]:
        """Say what the intervals allow to say: of each arm beside Vanilla, and of the alignment."""
        others = [capital(self._compared(arm, VANILLA)) for arm in self.of if arm != VANILLA]
        return [*others, f"What the alignment adds: {self._compared(SMIXUP, CONTROL)}"]

    def _compared(self, arm: str, other: str) -> str:
        """Compare two arms in a sentence, which may stand behind a colon."""
        mean, low, high = mean_of(self.points(arm, other))
        bounds = f"with an interval of [{signed(low, 1)}, {signed(high, 1)}]."
        if low > 0 or high < 0:
            side = "above" if mean > 0 else "below"
            return f"{arm} is {abs(mean):.1f} points {side} {other}, {bounds}"
        points = f"{signed(mean, 1)} points"
        return f"these runs do not decide between {arm} and {other}: {points}, {bounds}"


def paired_runs(workers: int = 1, report: Report = silent) -> Scores:
    """Run all arms at all seeds."""
    places = {f"{arm} at seed {seed}": (arm, seed) for seed in range(SEEDS) for arm in arms()}
    jobs = [Job(key, config_of(*place)) for key, place in places.items()]
    scores: dict[str, float] = {}
    report(Progress("paired runs", 0, len(jobs), unit="runs"))
    with closing(run_jobs(jobs, workers)) as outcomes:
        for outcome in outcomes:
            if outcome.result is None:
                raise SmixupError(f"{outcome.key} failed: {outcome.error}")
            scores[outcome.key] = 100 * outcome.result.test
            report(Progress("paired runs", len(scores), len(jobs), unit="runs"))
    of: dict[str, list[float]] = {arm: [] for arm in arms()}
    for key, (arm, _) in places.items():
        of[arm].append(scores[key])
    return Scores(of)


def demo_page(shares: Shares, scores: Scores, explorer: str, next_command: str) -> str:
    """Return the page, with links to the page of pairs and a command for the reader's own data."""
    kept = [DotRow(name, of, *shares.mean(name)) for name, of in shares.of.items()]
    points = {arm: scores.points(arm) for arm in scores.of if arm != VANILLA}
    gains = [DotRow(arm, of, *mean_of(of)) for arm, of in points.items()]
    sentences = scores.sentences()
    return render(
        "pages/demo.html",
        title=shares.sentence(),
        subtitle=f"Accuracy with {LABELS} labels: {sentences[-1]}",
        sentences=sentences,
        shares=draw_dots(kept, "motif kept, %", margin=0.0),
        dots=draw_dots(gains, "difference of accuracy from Vanilla, points", margin=0.0),
        pairs={
            f"a pair, mixed along {way}": draw_mixed_pair(shares.shown[name], CLASSES)
            for name, way in ((RANDOM, "a random alignment"), (OURS, "S-Mixup's alignment"))
        },
        kept={name: f"{of[0]:.0f}" for name, of in shares.of.items()},
        number=PAIRS,
        labels=LABELS,
        test_graphs=TEST_GRAPHS,
        seeds=len(scores.of[VANILLA]),
        scores=(SCORES_HEADER, scores.rows()),
        explorer=explorer,
        next_command=next_command,
    )
