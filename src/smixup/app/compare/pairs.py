"""Paired runs of a comparison: done until every method is decided, or enough was run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, product
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from smixup.app.compare.evidence import LOOKS, Answer, Array, Measure, Verdict, judge
from smixup.app.compare.settings import CONTROL, SMIXUP, VANILLA, Arm, CompareSettings
from smixup.app.runs.data import data_notes, edges_left_out, scored_split
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.store import Store, key_of
from smixup.app.words import duration
from smixup.app.workers import Job, Outcome, run_jobs
from smixup.datasets.catalogue import open_or_load
from smixup.errors import Interrupted, SmixupError, UsageError
from smixup.training.metrics import metric_named

DECIDED, ENOUGH, OUT_OF_TIME = "decided", "seeds", "budget"
MARGIN = 0.02  # of a score or a log loss; of an error in units of its own, a share of Vanilla's
Results = Sequence[RunResult]
Run = tuple[Arm, int]  # an arm at a seed


@dataclass(frozen=True)
class DataFacts:
    """What is known of the data before anything is run, and the sizes of the first split."""

    name: str
    graphs: int
    metric: str
    tested: int
    trained: int
    edge_features: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, settings: CompareSettings) -> DataFacts:
        """Open the dataset; what cannot be run is refused here."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split, graphs = scored_split(dataset, config), dataset.graphs
        counts = len(split.test), len(split.train), graphs.num_edge_features
        backbone = settings.fitting(graphs.num_edge_features, len(split.train)).classifier
        notes = [*data_notes(dataset, config), edges_left_out(graphs, dataset.name, backbone)]
        return cls(dataset.name, len(graphs), dataset.metric, *counts, tuple(filter(None, notes)))


@dataclass
class PairedRuns:
    """The runs of a comparison, as far as they are there.

    Attributes:
        elapsed: seconds of this call.
        runs: by the name of the arm, then by seed.
        failed: why a method could not be run, by its name.
        stopped: `DECIDED`, `ENOUGH` or `OUT_OF_TIME`; empty while runs go on.
        methods: what is compared with Vanilla; `arms` has Vanilla first, and the control.
        control: what S-Mixup is compared with once it helps; None if that is not asked.
    """

    settings: CompareSettings
    facts: DataFacts
    workers: int = 1
    elapsed: Callable[[], float] = lambda: 0.0
    runs: dict[str, dict[int, Outcome]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    _verdicts: dict[tuple[str, str, bool, int], Verdict | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.methods, self.control = self.settings.arms, self.settings.control_arm
        self.arms = [VANILLA, *self.methods, *([self.control] if self.control else [])]

    @property
    def metric(self) -> str:
        """The name of the score; before the first run that of the dataset."""
        results = self.results(VANILLA)
        return results[0].metric if results else self.facts.metric

    def take(self, arm: Arm, seed: int, outcome: Outcome) -> None:
        """Add a run that was done; a method that fails is run no more."""
        if outcome.result is not None:
            self.runs.setdefault(arm.name, {})[seed] = outcome
            return
        self.failed.setdefault(arm.name, outcome.error)
        if VANILLA.name in self.failed or all(arm.name in self.failed for arm in self.methods):
            name, why = next(iter(self.failed.items()))
            raise SmixupError(f"{name} cannot be run on {self.facts.name}: {why}")

    def done(self, arm: Arm) -> dict[int, Outcome]:
        return self.runs.get(arm.name, {})

    def results(self, arm: Arm, number: int | None = None) -> list[RunResult]:
        """Return results of the first seeds, or of all."""
        runs = sorted(self.done(arm).items())
        return [run.result for seed, run in runs if run.result and seed < (number or seed + 1)]

    def pairs(self, arm: Arm) -> int:
        """Return how many seeds, from the first one on, are done by the method and by Vanilla."""
        both = self.done(arm).keys() & self.done(VANILLA).keys()
        return next(number for number in range(len(both) + 1) if number not in both)

    def alignment(self) -> Verdict | None:
        """Return S-Mixup's score less that of its control; None where not both were run."""
        arms = {arm.name: arm for arm in self.arms}
        both = {SMIXUP, CONTROL} <= arms.keys()
        return self.verdict(arms[SMIXUP], over=arms[CONTROL]) if both else None

    def verdict(self, arm: Arm, *, loss: bool = False, over: Arm = VANILLA) -> Verdict | None:
        """Return what is said of its score, or its log loss, less that of another, if anything."""
        number = min(self.pairs(arm), self.pairs(over))
        key = arm.name, over.name, loss, number
        if number and key not in self._verdicts:
            ours, theirs = self.results(arm, number), self.results(over, number)
            measure = score_measure(self.metric, theirs, self.settings.margin)
            if loss:
                measure = Measure("log loss", False, False, self.settings.loss_margin or MARGIN)
            values, ratio = differences(ours, theirs, loss), self.facts.tested / self.facts.trained
            methods = len(self.methods) if over is VANILLA else 1
            verdict = None if values is None else judge(measure, values, ratio, methods)
            self._verdicts[key] = verdict
        return self._verdicts.get(key)

    def open_methods(self) -> list[Arm]:
        """Return the methods that are still to be run: neither failed nor decided by the score."""
        verdicts = {arm.name: self.verdict(arm) for arm in self.methods}
        decided = {name for name, verdict in verdicts.items() if verdict and verdict.decided}
        return [arm for arm in self.methods if arm.name not in decided | self.failed.keys()]

    def open_control(self) -> list[int]:
        """Return the seeds at which the control is to be run: those of S-Mixup, once it helps.

        The question has looks and a chance of error of its own. It is put where S-Mixup was found
        to help, so a wrong answer needs both: it is no more likely than if it were always put.
        """
        if self.control is None or self.control.name in self.failed:
            return []
        smixup = next(arm for arm in self.methods if arm.name == SMIXUP)
        verdict, asked = self.verdict(smixup), self.alignment()
        if not verdict or verdict.answer is not Answer.HELPS or (asked and asked.decided):
            return []
        return [seed for seed in range(self.pairs(smixup)) if seed not in self.done(self.control)]

    def expected(self, arm: Arm) -> float | None:
        """Return the mean seconds of its runs, None if there was none."""
        done = self.done(arm).values()
        return fmean(run.seconds for run in done) if done else None

    def outlook(self) -> str:
        """Say when the first verdict is due; empty before each method was run, and after it."""
        arms = [VANILLA, *self.open_methods()]
        known = [seconds for arm in arms if (seconds := self.expected(arm)) is not None]
        left = LOOKS[0] - min(map(self.pairs, arms[1:]), default=LOOKS[0])
        if len(known) < len(arms) or left <= 0:
            return ""
        one = sum(known) / self.workers
        return (
            f"A paired run takes about {duration(one)}: the first verdict, after {LOOKS[0]}, is "
            f"about {duration(one * left)} away."
        )

    def fits(self, arms: Sequence[Arm], workers: int = 1) -> bool:
        """Whether the next runs would be done within the budget; if not, that is why it stops."""
        if self.settings.budget is None:
            return True
        left = self.settings.budget - self.elapsed()
        seconds = sum(self.expected(arm) or 0.0 for arm in arms)
        fits = left > 0 and left >= seconds / max(1, min(workers, len(arms)))
        self.stopped = self.stopped if fits else OUT_OF_TIME
        return fits


def score_measure(metric: str, reference: Results, margin: float | None = None) -> Measure:
    """Return how a score is compared; runs of Vanilla tell the size of a margin in its units."""
    score, usual = metric_named(metric), MARGIN
    if not score.higher and reference:
        usual *= abs(float(np.mean([run.test for run in reference])))
    return Measure(metric, score.higher, score.is_share, margin or usual or MARGIN)


def differences(ours: Results, theirs: Results, loss: bool) -> Array | None:
    """Return differences by graph where runs kept predictions of accuracy, else by run, or None."""
    pairs = list(zip(ours, theirs, strict=True))
    number = attrgetter("scaled_loss" if loss else "test")
    of_runs = np.array([number(a) - number(b) for a, b in pairs])
    if loss and not np.isfinite(of_runs).all():
        return None
    kept = all(a.predictions and b.predictions for a, b in pairs)
    if not kept or (not loss and ours[0].metric != "accuracy"):
        return of_runs
    return np.stack([_of_graphs(a, loss) - _of_graphs(b, loss) for a, b in pairs])


def _of_graphs(run: RunResult, loss: bool) -> Array:
    """Return which graphs are right, or the log loss of each."""
    predictions = from_bytes(run.predictions)
    if not loss:
        return predictions.correct
    losses = predictions.log_loss(run.temperature)  # of rounded logits: the run knows their mean
    return losses + (run.scaled_loss - float(np.nanmean(losses)))


Watch = Callable[[PairedRuns], None]


def run_pairs(
    settings: CompareSettings,
    file: Path,
    *,
    workers: int = 1,
    cluster: str | None = None,
    watch: Watch = lambda pairs: None,
    clock: Callable[[], float] = time.monotonic,
) -> PairedRuns:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again.

    A method is run until it is decided by its score. If S-Mixup helps, its control follows on the
    seeds that S-Mixup has. Nothing is begun that would not fit into the budget, judged by the mean
    of the runs before; the first runs are begun anyway.
    """
    begun, facts = clock(), DataFacts.of(settings)
    settings = settings.fitting(facts.edge_features, facts.trained)
    pairs = PairedRuns(settings, facts, workers, lambda: clock() - begun)
    places = _places(pairs)
    keys = {(arm.name, seed): key for key, (arm, seed) in places.items()}
    folder = file.with_name(f"{file.name}.workspace")  # fitted matchers, states of unfinished runs

    def jobs(runs: Iterator[Run]) -> Iterator[Job]:
        for arm, seed in runs:
            watch(pairs)
            yield Job(keys[arm.name, seed], settings.config(arm, seed))

    with closing(Store(file)) as store:
        for key, run in store.fetch(places).items():
            pairs.take(*places[key], Outcome(key, run.result, seconds=run.seconds))
        watch(pairs)
        where: dict[str, Any] = {"cluster": cluster, "root": settings.root, "matchers": folder}
        try:
            for asked in (jobs(_method_runs(pairs)), jobs(_control_runs(pairs))):
                if (first := next(asked, None)) is None:  # no worker need be started
                    continue
                with closing(run_jobs(chain([first], asked), workers, **where)) as outcomes:
                    for outcome in outcomes:
                        arm, seed = places[outcome.key]
                        if outcome.result is not None:
                            config = settings.config(arm, seed)
                            store.keep(outcome.key, config, outcome.result, outcome.seconds)
                        pairs.take(arm, seed, outcome)
                        watch(pairs)
        except (KeyboardInterrupt, Interrupted):  # in a run of this process it is told by that
            raise Interrupted(
                f"interrupted; finished runs are in {file}: repeat the command to go on."
            ) from None
    pairs.stopped = pairs.stopped or (ENOUGH if pairs.open_methods() else DECIDED)
    return pairs


def _places(pairs: PairedRuns) -> dict[str, Run]:
    """Return every run that may be asked for, by its key in the store."""
    settings, places = pairs.settings, dict[str, Run]()
    for seed, arm in product(range(settings.seeds), pairs.arms):
        key = key_of(settings.config(arm, seed), settings.root)
        if key in places:
            other = places[key][0].name
            raise UsageError(f"{arm.name} and {other} are the same runs: leave out one of them.")
        places[key] = arm, seed
    return places


def _method_runs(pairs: PairedRuns) -> Iterator[Run]:
    """Yield Vanilla and the open methods at every seed, asked anew before each run."""
    for seed in range(pairs.settings.seeds):
        wanted = pairs.open_methods()
        arms = [VANILLA, *wanted] if wanted else []
        missing = [arm for arm in arms if seed not in pairs.done(arm)]
        if missing and not pairs.fits(missing, pairs.workers):
            return
        for arm in missing:
            wanted = pairs.open_methods()
            if arm in wanted or (wanted and arm is VANILLA):
                if not pairs.fits([arm]):
                    return
                yield arm, seed


def _control_runs(pairs: PairedRuns) -> Iterator[Run]:
    """Yield the runs of S-Mixup's control, if asked for, once the methods are done."""
    pairs.stopped = pairs.stopped if pairs.open_methods() else ""
    like_it = [arm for arm in pairs.methods if arm.name == SMIXUP]
    for seed in pairs.open_control():
        if pairs.control is None or seed not in pairs.open_control():
            continue
        if not pairs.fits([pairs.control] if pairs.done(pairs.control) else like_it):
            return
        yield pairs.control, seed
