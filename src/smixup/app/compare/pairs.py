"""Paired runs of a comparison, as far as they are there, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from statistics import fmean

import numpy as np

from smixup.app.compare.evidence import Answer, Array, Measure, Verdict, judge
from smixup.app.compare.settings import CONTROL, SMIXUP, VANILLA, Arm, CompareSettings
from smixup.app.runs.data import data_notes, edges_left_out, scored_split
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.workers import Outcome
from smixup.datasets.catalogue import open_or_load
from smixup.training.metrics import metric_named

DECIDED, ENOUGH, OUT_OF_TIME = "decided", "seeds", "budget"
MARGIN = 0.02
"""A difference that matters where nobody says: two points of a score, 0.02 of a log loss; of an
error in units of its own, this share of Vanilla's.
"""
LOSS = "scaled_loss"
Results = Sequence[RunResult]


@dataclass(frozen=True)
class DataFacts:
    """What is known of the data before anything is run: its score, how many graphs the first run
    tests and trains on, how many features an edge has, and what the data has to tell.
    """

    name: str
    graphs: int
    metric: str
    tested: int
    trained: int
    edge_features: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, settings: CompareSettings) -> DataFacts:
        """Open the dataset and its first split; what cannot be run is refused here."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split, graphs, metric = scored_split(dataset, config), dataset.graphs, dataset.metric
        counts = len(split.test), len(split.train), graphs.num_edge_features
        backbone = settings.fitting(graphs.num_edge_features, len(split.train)).classifier
        notes = [*data_notes(dataset, config), edges_left_out(graphs, dataset.name, backbone)]
        return cls(dataset.name, len(graphs), metric, *counts, tuple(filter(None, notes)))


@dataclass
class PairedRuns:
    """The runs of a comparison, as far as they are there.

    Attributes:
        settings: what is compared.
        facts: of the data.
        workers: how many runs are done at once.
        elapsed: seconds of this call.
        runs: by the name of the arm, then by seed.
        failed: why a method could not be run, by its name.
        stopped: `DECIDED`, `ENOUGH` or `OUT_OF_TIME`; empty while runs go on.
        methods: what is compared with Vanilla.
        control: what S-Mixup is compared with once it helps; None if that is not asked.
        arms: all of them, Vanilla first.
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
    def spent(self) -> float:
        return self.elapsed()

    @property
    def metric(self) -> str:
        """The name of the score that runs tell, before the first one that of the dataset."""
        results = self.results(VANILLA)
        return results[0].metric if results else self.facts.metric

    def done(self, arm: Arm) -> dict[int, Outcome]:
        return self.runs.get(arm.name, {})

    def results(self, arm: Arm, number: int | None = None) -> list[RunResult]:
        runs = sorted(self.done(arm).items())
        kept = [run.result for seed, run in runs if number is None or seed < number]
        return [result for result in kept if result is not None]

    def pairs(self, arm: Arm) -> int:
        """Return how many seeds, from the first one on, are done by the method and by Vanilla."""
        both = self.done(arm).keys() & self.done(VANILLA).keys()
        return next(number for number in range(len(both) + 1) if number not in both)

    def score(self, arm: Arm, over: Arm = VANILLA) -> Verdict | None:
        """Return what is said of its score, less that of Vanilla or of another method; None before
        the first pair.
        """
        return self._verdict(arm, over, loss=False)

    def log_loss(self, arm: Arm) -> Verdict | None:
        """Return the same of log loss after temperature scaling; None where there is none."""
        return self._verdict(arm, VANILLA, loss=True)

    def alignment(self) -> Verdict | None:
        """Return S-Mixup's score less that of its control, a question of its own; None where not
        both were run.
        """
        arms = {arm.name: arm for arm in self.arms}
        both = {SMIXUP, CONTROL} <= arms.keys()
        return self.score(arms[SMIXUP], arms[CONTROL]) if both else None

    def _verdict(self, arm: Arm, over: Arm, loss: bool) -> Verdict | None:
        number = min(self.pairs(arm), self.pairs(over))
        key = arm.name, over.name, loss, number
        if key not in self._verdicts:
            self._verdicts[key] = self._judged(arm, over, loss, number) if number else None
        return self._verdicts[key]

    def _judged(self, arm: Arm, over: Arm, loss: bool, number: int) -> Verdict | None:
        ours, theirs = self.results(arm, number), self.results(over, number)
        measure = score_measure(self.metric, theirs, self.settings.margin)
        if loss:
            measure = Measure("log loss", False, False, self.settings.loss_margin or MARGIN)
        values, ratio = differences(ours, theirs, loss), self.facts.tested / self.facts.trained
        methods = len(self.methods) if over is VANILLA else 1
        return None if values is None else judge(measure, values, ratio, methods)

    def open_methods(self) -> list[Arm]:
        """Return the methods that are still to be run: neither failed nor decided by the score."""
        verdicts = {arm.name: self.score(arm) for arm in self.methods}
        decided = {name for name, verdict in verdicts.items() if verdict and verdict.decided}
        return [arm for arm in self.methods if arm.name not in decided | self.failed.keys()]

    def open_control(self) -> list[int]:
        """Return the seeds at which the control is still to be run: those that S-Mixup has, if it
        helps, until the question is decided.
        """
        if self.control is None or self.control.name in self.failed:
            return []
        smixup = next(arm for arm in self.methods if arm.name == SMIXUP)
        verdict, asked = self.score(smixup), self.alignment()
        helps = verdict is not None and verdict.answer is Answer.HELPS
        if not helps or (asked is not None and asked.decided):
            return []
        return [seed for seed in range(self.pairs(smixup)) if seed not in self.done(self.control)]

    def expected(self, arm: Arm) -> float | None:
        """Return the mean seconds of its runs, None if there was none."""
        done = self.done(arm).values()
        return fmean(run.seconds for run in done) if done else None

    def seconds_of_a_pair(self) -> float | None:
        """Return about how long one more paired run of all open methods takes, as many runs at once
        as there are workers; None before each was run.
        """
        known = [self.expected(arm) for arm in (VANILLA, *self.open_methods())]
        seconds = [each for each in known if each is not None]
        return sum(seconds) / self.workers if len(seconds) == len(known) else None


def score_measure(metric: str, reference: Results, margin: float | None = None) -> Measure:
    """Return how a score is compared; `reference` are runs of Vanilla, for the size of a margin in
    units of its own.
    """
    score, usual = metric_named(metric), MARGIN
    if not score.higher and reference:
        usual *= abs(float(np.mean([run.test for run in reference])))
    return Measure(metric, score.higher, score.is_share, margin or usual or MARGIN)


def differences(ours: Results, theirs: Results, loss: bool) -> Array | None:
    """Return differences of the score or of log loss, see `evidence.judge`: graph by graph where
    runs kept predictions and the score is accuracy, else run by run; None where there is no loss.
    """
    pairs, number = list(zip(ours, theirs, strict=True)), attrgetter(LOSS if loss else "test")
    of_runs = np.array([number(a) - number(b) for a, b in pairs])
    if loss and not np.isfinite(of_runs).all():
        return None
    kept = all(a.predictions and b.predictions for a, b in pairs)
    if not kept or (not loss and ours[0].metric != "accuracy"):
        return of_runs
    of_graphs = _scaled_losses if loss else _correct
    return np.stack([of_graphs(a) - of_graphs(b) for a, b in pairs])


def _correct(run: RunResult) -> Array:
    return from_bytes(run.predictions).correct


def _scaled_losses(run: RunResult) -> Array:
    """Return the log loss of each graph. Kept logits are rounded, which a low temperature makes
    large: the mean is put where the run, which had the logits themselves, found it.
    """
    losses = from_bytes(run.predictions).log_loss(run.temperature)
    return losses + (run.scaled_loss - float(np.nanmean(losses)))
