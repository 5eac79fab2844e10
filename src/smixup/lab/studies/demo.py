"""A small comparison on MOTIF that needs no download: Vanilla, mixing in random order, and S-Mixup
(Sec. 5.1).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from smixup.analysis.matcher_quality import Quality, evaluate_matcher
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.lab.runs.build import unchanged
from smixup.lab.runs.command import train_command
from smixup.lab.runs.config import RunConfig, configure
from smixup.lab.runs.opened import open_run
from smixup.lab.runs.run import run
from smixup.lab.studies.mixed_pair import MixedPair
from smixup.lab.tables.arm import Arm
from smixup.lab.tables.comparison import Difference, Summary
from smixup.matching import Matcher, RandomOrder, Uniform
from smixup.progress import Progress, Report, silent
from smixup.ranges import Count, Range, RangedFields, Steps
from smixup.training import History

QUALITY_PAIRS = 200
NUM_FOLDS = 3
NUM_CLASSES = 3

ARMS = (
    Arm("Vanilla", "vanilla"),
    Arm("Random order", "s-mixup", {"matcher": "random-order"}),
    Arm("S-Mixup", "s-mixup", {"matcher": "graph-matcher"}),
)


@dataclass(frozen=True)
class DemoSettings(RangedFields):
    """What to run.

    Attributes:
        seeds: how many; each has its own graphs, split and initial weights, shared by all arms.
        epochs: of the classifier.
        num_graphs: a third of them to train on, a third to validate, a third to test.
        batch_size: graphs per step.
        backbone: of the classifier.
        quality_pairs: held-out pairs on which matchers are measured.
    """

    seeds: Annotated[int, Range(1, limit=1000)] = 3
    epochs: Steps = 100
    num_graphs: Count = 240
    batch_size: Count = 32
    backbone: str = "gin"
    quality_pairs: Count = QUALITY_PAIRS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_graphs < 2 * NUM_FOLDS * NUM_CLASSES:
            raise UsageError(
                f"graphs must be {2 * NUM_FOLDS * NUM_CLASSES} or more, not {self.num_graphs}."
            )

    def config(self, arm: Arm, seed: int) -> RunConfig:
        """Return the configuration of one run."""
        return configure(
            "MOTIF",
            self.backbone,
            arm.method,
            seed,
            method_settings=arm.settings,
            epochs=self.epochs,
            batch_size=self.batch_size,
            split="fold",
            num_folds=NUM_FOLDS,
            dataset_options={"num_graphs": self.num_graphs, "seed": seed},
        )

    def test_graphs(self) -> Graphs:
        """Return the test split of the first seed, which all arms share."""
        return open_run(self.config(ARMS[0], 0)).test

    def command(self, arm: Arm, seed: int) -> str:
        """Return the command that repeats one run."""
        return train_command(self.config(arm, seed))


@dataclass(frozen=True)
class ArmResult:
    """What one arm brought, one entry per seed."""

    name: str
    histories: Sequence[History]

    def at_best(self, curve: str) -> list[float]:
        """Return one number per seed at the epoch that the validation split chose."""
        return [history.at_best(curve) for history in self.histories]

    def summary(self, curve: str = "test") -> Summary:
        """Return mean and deviation over the seeds."""
        return Summary.of(self.at_best(curve))


@dataclass(frozen=True)
class DemoResult:
    """Everything that the report shows.

    Attributes:
        settings: what was run.
        arms: in the order of the table; the first is the reference.
        quality: of each matcher on test graphs of the first seed.
        matcher: of the last arm at the first seed.
        examples: test graphs of the first seed, mixed: a pair of one class, a pair of two classes.
        seconds: spent.
    """

    settings: DemoSettings
    arms: Sequence[ArmResult]
    quality: dict[str, Quality]
    matcher: Matcher
    examples: Sequence[MixedPair]
    seconds: float

    def difference(self, arm: ArmResult, curve: str = "test") -> Difference:
        """Compare an arm with the reference, seed by seed."""
        return Difference.between(arm.at_best(curve), self.arms[0].at_best(curve))


def run_demo(
    settings: DemoSettings, report: Report = silent, arms: Sequence[Arm] = ARMS
) -> DemoResult:
    """Train all arms at all seeds, then measure and show the last arm's matcher of the first
    seed.
    """
    started = time.perf_counter()
    histories: dict[str, list[History]] = {arm.name: [] for arm in arms}
    matchers: list[Matcher] = []

    def keep(matcher: Matcher) -> Matcher:
        matchers.append(matcher)
        return matcher

    for seed in range(settings.seeds):
        for arm in arms:
            told = _named(report, f"{arm.name}, seed {seed}")
            wrap = keep if seed == 0 else unchanged
            found = run(settings.config(arm, seed), report=told, wrap_matcher=wrap)
            histories[arm.name].append(History(found.curves, found.best_epoch, found.seconds))
    matcher, test = matchers[-1], settings.test_graphs()
    return DemoResult(
        settings=settings,
        arms=[ArmResult(name, runs) for name, runs in histories.items()],
        quality=beside_controls(matcher, test, settings.quality_pairs),
        matcher=matcher,
        examples=[example(matcher, test, alike=True), example(matcher, test, alike=False)],
        seconds=time.perf_counter() - started,
    )


def beside_controls(matcher: Matcher, graphs: Graphs, pairs: int) -> dict[str, Quality]:
    """Measure a matcher and the controls on the same pairs."""
    matchers = {"learned": matcher, "random order": RandomOrder(), "uniform": Uniform()}
    return {name: evaluate_matcher(each, graphs, pairs) for name, each in matchers.items()}


def example(matcher: Matcher, graphs: Graphs, alike: bool) -> MixedPair:
    """Mix the first graph with the first other one of its class, or of another class."""
    others = (graphs.labels[1:] == graphs.labels[0]) == alike
    if not others.any():
        raise UsageError("there is no pair to show: use more graphs.")
    partner = 1 + int(others.nonzero()[0])
    return MixedPair.of(matcher, graphs[[0]], graphs[[partner]])


def _named(report: Report, name: str) -> Report:
    """Put a name before every stage."""

    def named(progress: Progress) -> None:
        report(replace(progress, stage=f"{name}: {progress.stage}"))

    return named
