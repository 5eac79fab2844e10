"""What `smixup demo` shows on MOTIF, without a download: what mixing keeps of a motif, and whether
it raises accuracy where labels are few (Sec. 5.1).

The design of the comparison was set before it was run. 25 labels and a GCN are where the records
(docs/results.md) have the clearest gain for the time; their differences deviate by 5 points from
seed to seed, so that nine paired runs show a gain of 5 points about three times out of four. 240
epochs instead of the records' 400 keep it within two minutes. That favours Vanilla: in the records
none of its 20 runs chose a later epoch, but 6 with S-Mixup and 11 along a random alignment did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from smixup.app.runs.command import train_command
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.run import RunResult
from smixup.app.studies.look import QUICK_STEPS
from smixup.app.sweeps.engine import Engine, outcomes
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import Job
from smixup.app.tables.arm import Arm
from smixup.app.tables.comparison import Difference, Summary
from smixup.app.tables.definitions.ladder import RANDOM
from smixup.errors import SmixupError
from smixup.progress import Progress, Report, silent
from smixup.ranges import Count, Range, RangedFields, Steps

PAIRED_RUNS = "paired runs"
"""The stage of `Progress`."""
BATCH = 25

ARMS = (
    Arm("Vanilla", "vanilla"),
    Arm("random one-to-one", "s-mixup", RANDOM),
    Arm("S-Mixup", "s-mixup", {"matcher.max_steps": QUICK_STEPS}),
)
SECONDS = {"vanilla": 0.017, "s-mixup": 0.026}
"""What an epoch takes on one core of two that are both at work, about; see
`DemoSettings.seconds`."""
FITTING = 3.4
"""Seconds that a matcher's fit and alignments take, about, in the same way."""


@dataclass(frozen=True)
class DemoSettings(RangedFields):
    """What to compare.

    Attributes:
        seeds: how many; each has its own graphs, split and initial weights, shared by all arms.
        epochs: of the classifier.
        labels: graphs to train on; as many validate.
        test_graphs: graphs to test on.
        backbone: of the classifier.
    """

    seeds: Annotated[int, Range(1, limit=1000)] = 9
    epochs: Steps = 240
    labels: Annotated[int, Range(6, limit=100_000)] = 25
    test_graphs: Count = 500
    backbone: str = "gcn"

    def config(self, arm: Arm, seed: int) -> RunConfig:
        """Return the configuration of one run."""
        return configure(
            "MOTIF",
            self.backbone,
            arm.method,
            seed,
            method_settings=arm.settings,
            epochs=self.epochs,
            batch_size=min(self.labels, BATCH),
            split="few",
            train_graphs=self.labels,
            dataset_options={"num_graphs": 2 * self.labels + self.test_graphs, "seed": seed},
        )

    def command(self, arm: Arm, seed: int) -> str:
        """Return the command that repeats one run."""
        return train_command(self.config(arm, seed))

    def seconds(self, arms: Sequence[Arm] = ARMS) -> float:
        """Return about how long all runs take on one core, for a plan that is told beforehand."""
        size = max(1.0, self.labels / BATCH)
        training = sum(SECONDS.get(arm.method, max(SECONDS.values())) for arm in arms)
        return self.seeds * (size * training * self.epochs + FITTING)


@dataclass(frozen=True)
class ArmResult:
    """What one arm brought, one run per seed."""

    name: str
    runs: Sequence[RunResult]

    def scores(self, field: str = "test") -> list[float]:
        """Return one number per seed, of the epoch that the validation split chose."""
        return [float(getattr(run, field)) for run in self.runs]

    def summary(self, field: str = "test") -> Summary:
        """Return mean and deviation over the seeds."""
        return Summary.of(self.scores(field))


@dataclass(frozen=True)
class Compared:
    """All arms at all seeds.

    Attributes:
        settings: what was run.
        arms: in the order of the table; the first is the reference, the last is ours.
    """

    settings: DemoSettings
    arms: Sequence[ArmResult]

    def difference(self, arm: ArmResult, other: ArmResult | None = None) -> Difference:
        """Compare the accuracy of an arm with that of the reference, or of another, seed by
        seed.
        """
        return Difference.between(arm.scores(), (other or self.arms[0]).scores())


def compare_arms(
    settings: DemoSettings,
    report: Report = silent,
    engine: Engine | None = None,
    arms: Sequence[Arm] = ARMS,
) -> Compared:
    """Run all arms at all seeds, as many runs at once as the engine bears.

    Args:
        settings: what to run.
        report: told of every run that ends.
        engine: does the runs; by default this process does, one after the other.
        arms: the first is the reference.
    """
    places = {
        job.id: (arm.name, seed, job)
        for seed, arm, job in _jobs(settings, arms)  # paired runs end together
    }
    found: dict[tuple[str, int], RunResult] = {}
    report(Progress(PAIRED_RUNS, 0, len(places), unit="runs"))
    with engine or InProcess() as workers:
        for outcome in outcomes(workers, (job for *_, job in places.values()), lambda job: None):
            name, seed, _ = places[outcome.id]
            if outcome.result is None:
                raise SmixupError(f"{name} failed at seed {seed}: {outcome.error}")
            found[name, seed] = outcome.result
            report(Progress(PAIRED_RUNS, len(found), len(places), unit="runs"))
    seeds = range(settings.seeds)
    return Compared(
        settings, [ArmResult(arm.name, [found[arm.name, seed] for seed in seeds]) for arm in arms]
    )


def _jobs(settings: DemoSettings, arms: Sequence[Arm]) -> Iterator[tuple[int, Arm, Job]]:
    for seed in range(settings.seeds):
        for arm in arms:
            yield seed, arm, Job.of(settings.config(arm, seed))
