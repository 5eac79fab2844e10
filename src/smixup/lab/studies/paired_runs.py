"""Paired runs, one after the other, until every method is decided, or enough was run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from statistics import fmean

from smixup.datasets.catalogue import open_or_load
from smixup.datasets.fingerprint import data_fingerprint
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import Interrupted, termination_as_interrupt
from smixup.lab.evidence.sequential import LOOKS
from smixup.lab.runs.edge_use import edges_left_out
from smixup.lab.runs.opened import choose_split
from smixup.lab.runs.run import RunResult
from smixup.lab.studies.compare_settings import VANILLA, CompareSettings
from smixup.lab.studies.compared_outcomes import (
    Judged,
    judge_loss,
    judge_score,
    loss_outcome,
    score_outcome,
)
from smixup.lab.sweeps.engine import Engine, outcomes
from smixup.lab.sweeps.identity import run_id
from smixup.lab.sweeps.job import Job
from smixup.lab.sweeps.job import Outcome as JobOutcome
from smixup.lab.sweeps.store import Store
from smixup.lab.tables.arm import Arm

DECIDED, ENOUGH, OUT_OF_TIME = "decided", "seeds", "budget"
WHY = {
    DECIDED: "every method is decided",
    ENOUGH: "all paired runs that were asked for are done",
    OUT_OF_TIME: "the next runs would not fit into the budget",
}


@dataclass(frozen=True)
class DataFacts:
    """What is known of the data before anything is run.

    Attributes:
        name: of the dataset.
        graphs: how many.
        classes: how many.
        metric: its score.
        test_over_train: tested graphs over graphs trained on, in the first run.
        train_graphs: graphs trained on in the first run.
        notes: what the data has to tell, in sentences.
    """

    name: str
    graphs: int
    classes: int
    metric: str
    test_over_train: float
    train_graphs: int
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: CompareSettings) -> DataFacts:
        """Open the dataset and its first split; what cannot be run is refused here."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split = choose_split(dataset, config)
        graphs, number = dataset.graphs, len(split.train)
        ratio = len(split.test) / max(number, 1)
        counts = len(graphs), int(graphs.num_classes)
        unused = edges_left_out(graphs, dataset.name, settings.backbone)
        notes = (*dataset.notes, *([unused] if unused else []))
        return cls(dataset.name, *counts, dataset.metric, ratio, number, notes)


@dataclass(frozen=True)
class KeptRun:
    """A finished run: what it brought, and how long it took from start to end."""

    result: RunResult
    seconds: float


@dataclass
class PairedRuns:
    """The runs of a comparison, as far as they are there.

    Attributes:
        settings: what is compared.
        facts: of the data.
        runs: by the name of the arm, then by seed.
        failed: why a method could not be run, by its name.
        stopped: a key of `WHY`; empty while runs go on.
        running: how many are at work.
        spent: seconds of this call.
        workers: how many runs are done at once.
    """

    settings: CompareSettings
    facts: DataFacts
    runs: dict[str, dict[int, KeptRun]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    running: int = 0
    spent: float = 0.0
    workers: int = 1
    _scores: dict[tuple[str, int], Judged] = field(default_factory=dict, repr=False)

    @property
    def arms(self) -> list[Arm]:
        """Vanilla, then the methods."""
        return [VANILLA, *self.methods]

    @cached_property
    def methods(self) -> list[Arm]:
        """What is compared with Vanilla."""
        return self.settings.arms

    @property
    def metric(self) -> str:
        """The name of the score that runs tell, before the first one that of the dataset."""
        first = next(iter(self.runs.get(VANILLA.name, {}).values()), None)
        return self.facts.metric if first is None else first.result.metric

    def pairs(self, arm: Arm) -> int:
        """Return how many seeds, from the first one on, are done by the method and by Vanilla."""
        ours, theirs = (self.runs.get(name, {}) for name in (arm.name, VANILLA.name))
        return next(n for n in range(len(ours) + 1) if n not in ours or n not in theirs)

    def score(self, arm: Arm) -> Judged | None:
        """Return what its runs so far say of its score; None before the first pair."""
        number = self.pairs(arm)
        if not number:
            return None
        if (arm.name, number) not in self._scores:
            ours, theirs = self._results(arm, number)
            reference = [run.test for run in theirs]
            outcome = score_outcome(self.metric, reference, self.settings.margin)
            judged = judge_score(outcome, ours, theirs, *self._shared())
            self._scores[arm.name, number] = judged
        return self._scores[arm.name, number]

    def against(self, arm: Arm, other: Arm) -> Judged | None:
        """Return the score of a method less that of another, as a question of its own; None without
        runs that both have.
        """
        number = min(self.pairs(arm), self.pairs(other))
        if not number:
            return None
        ours, theirs = self._results(arm, number)[0], self._results(other, number)[0]
        reference = [run.test for run in theirs]
        outcome = score_outcome(self.metric, reference, self.settings.margin)
        return judge_score(outcome, ours, theirs, self.facts.test_over_train)

    def log_loss(self, arm: Arm) -> Judged | None:
        """Return the same of log loss after temperature scaling, None where there is none."""
        number = self.pairs(arm)
        if not number:
            return None
        outcome = loss_outcome(self.settings.loss_margin)
        return judge_loss(outcome, *self._results(arm, number), *self._shared())

    def open_methods(self) -> list[Arm]:
        """Return the methods that are still to be run: neither failed nor decided by the score."""
        return [arm for arm in self.methods if arm.name not in self.failed and self._open(arm)]

    def _open(self, arm: Arm) -> bool:
        if self.pairs(arm) < LOOKS[0]:
            return True
        judged = self.score(arm)
        return judged is None or not judged.decision.decided

    def expected(self, arm: Arm) -> float | None:
        """Return the mean seconds of its runs, None if there was none."""
        known = self.runs.get(arm.name, {})
        return fmean(run.seconds for run in known.values()) if known else None

    def seconds_of_a_pair(self) -> float | None:
        """Return about how long one more paired run of all open methods takes, as many runs at once
        as there are workers; None before each was run.
        """
        known = [self.expected(arm) for arm in (VANILLA, *self.open_methods())]
        seconds = [each for each in known if each is not None]
        return sum(seconds) / self.workers if len(seconds) == len(known) else None

    def _results(self, arm: Arm, number: int) -> tuple[list[RunResult], list[RunResult]]:
        ours, theirs = self.runs[arm.name], self.runs[VANILLA.name]
        seeds = range(number)
        return [ours[seed].result for seed in seeds], [theirs[seed].result for seed in seeds]

    def _shared(self) -> tuple[float, int]:
        return self.facts.test_over_train, len(self.methods)


Watch = Callable[[PairedRuns], None]


def run_pairs(
    settings: CompareSettings,
    store: Store,
    engine: Engine,
    workers: int = 1,
    watch: Watch = lambda pairs: None,
    clock: Callable[[], float] = time.monotonic,
) -> PairedRuns:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again.

    A method is run until it is decided by its score. Nothing is begun that would not fit into the
    budget, judged by the mean of the runs before; the first runs are begun anyway.

    Args:
        settings: what to compare.
        store: keeps every run as soon as it is done.
        engine: does the runs.
        workers: how many it does at once.
        watch: told of every change.
        clock: seconds.
    """
    begun = clock()
    facts = DataFacts.of(settings)
    settings = settings.with_epochs(facts.train_graphs)
    found = PairedRuns(settings, facts, workers=workers)
    places = _places(found)
    with store.writing() as writer:
        name = settings.config(VANILLA, 0).dataset
        writer.use({name: data_fingerprint(name, settings.root)})
    _remember(found, store, places)
    watch(found)

    def left() -> float | None:
        found.spent = clock() - begun
        return None if settings.budget is None else settings.budget - found.spent

    def started(job: Job) -> None:
        found.running += 1
        watch(found)

    with store.writing() as writer, termination_as_interrupt():
        jobs = _jobs(found, store, workers, left)
        first = next(jobs, None)
        try:
            with engine if first is not None else nullcontext():
                for outcome in outcomes(engine, _with(first, jobs), started):
                    arm, seed = places[outcome.id]
                    job = Job(outcome.id, settings.config(arm, seed).to_dict())
                    writer.keep(job, outcome)
                    found.running -= 1
                    _take(found, arm, seed, outcome)
                    left()
                    watch(found)
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted; finished runs are in {store.path}: repeat the command to go on."
            ) from None
    if not found.open_methods():
        found.stopped = DECIDED
    found.stopped = found.stopped or ENOUGH
    return found


def _with(first: Job | None, others: Iterator[Job]) -> Iterator[Job]:
    if first is not None:
        yield first
        yield from others


def _places(found: PairedRuns) -> dict[str, tuple[Arm, int]]:
    """Return which run has which identity."""
    places: dict[str, tuple[Arm, int]] = {}
    for seed, arm in product(range(found.settings.seeds), found.arms):
        id = run_id(found.settings.config(arm, seed))
        if id in places:
            other, name = places[id][0].name, arm.name
            raise UsageError(f"{name} and {other} are the same runs: leave out one of them.")
        places[id] = arm, seed
    return places


def _remember(found: PairedRuns, store: Store, places: Mapping[str, tuple[Arm, int]]) -> None:
    """Take what the store has of these runs, with curves and predictions."""
    known = {id: each for id, each in store.records().items() if id in places}
    curves, predictions = (store.curves(), store.predictions()) if known else ({}, {})
    for id, record in known.items():
        arm, seed = places[id]
        if record.result is not None:
            drawn, said = curves.get(id, {}), predictions.get(id, b"")
            result = replace(record.result, curves=drawn, predictions=said)
            found.runs.setdefault(arm.name, {})[seed] = KeptRun(result, record.seconds)


def _take(found: PairedRuns, arm: Arm, seed: int, outcome: JobOutcome) -> None:
    if outcome.result is not None:
        kept = KeptRun(outcome.result, outcome.seconds)
        found.runs.setdefault(arm.name, {})[seed] = kept
        return
    reason = str(outcome.error)
    found.failed.setdefault(arm.name, reason)
    if VANILLA.name in found.failed or len(found.failed) == len(found.methods):
        name, why = next(iter(found.failed.items()))
        raise SmixupError(f"{name} cannot be run on {found.facts.name}: {why}")


def _jobs(
    found: PairedRuns, store: Store, workers: int, left: Callable[[], float | None]
) -> Iterator[Job]:
    """Yield what is to be run next, as it depends on what came of the runs before."""
    settings = found.settings
    for seed in range(settings.seeds):
        missing = _missing(found, seed)
        if not missing:
            continue
        if not _fits(found, missing, workers, left()):
            found.stopped = OUT_OF_TIME
            return
        for arm in missing:
            wanted = found.open_methods()
            if not wanted:
                break
            if arm is not VANILLA and arm not in wanted:
                continue
            if not _fits(found, [arm], 1, left()):
                found.stopped = OUT_OF_TIME
                return
            yield Job.of(settings.config(arm, seed), settings.root, store.workspace)


def _missing(found: PairedRuns, seed: int) -> list[Arm]:
    """Return Vanilla and the open methods at a seed, without those that are done; a method that is
    done everywhere asks for no Vanilla.
    """
    wanted = found.open_methods()
    arms = [VANILLA, *wanted] if wanted else []
    return [arm for arm in arms if seed not in found.runs.get(arm.name, {})]


def _fits(found: PairedRuns, arms: Sequence[Arm], workers: int, left: float | None) -> bool:
    if left is None:
        return True
    known = [found.expected(arm) for arm in arms]
    seconds = sum(each for each in known if each is not None)
    return left >= seconds / max(1, min(workers, len(arms))) and left > 0
