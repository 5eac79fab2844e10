"""Paired runs of a comparison: done until every method is decided, or enough was run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, count, product
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any

import numpy as np

from smixup.app.compare.evidence import Answer, Array, Measure, Verdict, judge
from smixup.app.compare.settings import CONTROL, SMIXUP, VANILLA, CompareSettings
from smixup.app.runs.data import data_notes, edges_left_out, metric_of, scored_split
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.store import Store, key_of
from smixup.app.workers import Job, run_jobs
from smixup.datasets.catalogue import open_or_load
from smixup.errors import Interrupted, SmixupError, require
from smixup.training.metrics import metric_named

MARGIN = 0.02  # of a score or a log loss; of an error in units of its own, a share of Vanilla's
Results = Sequence[RunResult]
Run = tuple[str, int]  # a method at a seed


@dataclass(frozen=True)
class DataFacts:
    """What is known of the data before anything is run."""

    name: str
    graphs: int
    metric: str
    test_over_train: float
    notes: tuple[str, ...]


@dataclass
class PairedRuns:
    """The runs of a comparison, as far as they are there: results and seconds, which include data
    and preparation, by method and seed; and why a method could not be run.
    """

    settings: CompareSettings
    facts: DataFacts
    runs: dict[str, dict[int, RunResult]] = field(default_factory=lambda: defaultdict(dict))
    seconds: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    failed: dict[str, str] = field(default_factory=dict)
    begun: float = field(default_factory=lambda: monotonic())
    _verdicts: dict[tuple[str, str, bool, int], Verdict] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: CompareSettings) -> PairedRuns:
        """Open the dataset, which decides what was left open; what cannot be run is refused."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split, graphs, name = scored_split(dataset, config), dataset.graphs, dataset.name
        settings = settings.suiting(dataset, len(split.train))
        left_out = edges_left_out(graphs, name, settings.config(VANILLA, 0).backbone)
        notes = tuple(filter(None, [*data_notes(dataset, config), left_out]))
        metric, ratio = metric_of(dataset, config).name, len(split.test) / len(split.train)
        return cls(settings, DataFacts(name, len(graphs), metric, ratio, notes))

    @property
    def names(self) -> list[str]:
        """Vanilla, the methods, and the control of S-Mixup if it is asked for."""
        named = [VANILLA, *self.settings.methods]
        control = self.settings.control and SMIXUP in named and CONTROL not in named
        return [*named, CONTROL] if control else named

    @property
    def ended(self) -> str:
        """Why no more is run."""
        if self.missing():
            return "the next runs would not fit into the budget"
        is_open = self.open_methods()
        return "all runs that were asked for are done" if is_open else "every method is decided"

    def take(self, name: str, seed: int, result: RunResult, seconds: float) -> None:
        self.runs[name][seed], self.seconds[name][seed] = result, seconds

    def fail(self, name: str, why: str) -> None:
        """Run a method no more; without Vanilla, or without any method, nothing is left to do."""
        self.failed.setdefault(name, why)
        if VANILLA in self.failed or self.failed.keys() >= set(self.settings.methods):
            name, why = next(iter(self.failed.items()))
            raise SmixupError(f"{name} cannot be run on {self.facts.name}: {why}")

    def pairs(self, name: str, over: str = VANILLA) -> int:
        """Return how many seeds, from the first one on, are done by both."""
        both = self.runs[name].keys() & self.runs[over].keys()
        return next(seed for seed in count() if seed not in both)

    def verdict(self, name: str, *, loss: bool = False, over: str = VANILLA) -> Verdict | None:
        """Return what is said of its score, or its log loss, beside another's, if anything."""
        key = name, over, loss, self.pairs(name, over)
        ours, theirs = ([self.runs[each][seed] for seed in range(key[3])] for each in key[:2])
        known = ours and not (loss and any(math.isnan(run.scaled_loss) for run in ours + theirs))
        if known and key not in self._verdicts:
            measure = score_measure(self.facts.metric, theirs, self.settings.margin)
            if loss:
                measure = Measure("log loss", False, 1.0, self.settings.loss_margin or MARGIN)
            self._verdicts[key] = judge(
                name if over == VANILLA else "the alignment",
                over,
                measure,
                (scores(ours, loss), scores(theirs, loss)),
                test_over_train=self.facts.test_over_train,
                methods=len(self.settings.methods) if over == VANILLA else 1,
            )
        return self._verdicts.get(key)

    def alignment(self) -> Verdict | None:
        """Return what the alignment adds to the score of S-Mixup; None without its control.

        The question has looks and a chance of error of its own. It is put where S-Mixup was found
        to help, so a wrong answer needs both: it is no more likely than if it were always put.
        """
        return self.verdict(SMIXUP, over=CONTROL)

    def open_methods(self) -> list[str]:
        """Return the methods that are neither failed nor decided by the score."""
        verdicts = {name: self.verdict(name) for name in self.settings.methods}
        decided = {name for name, verdict in verdicts.items() if verdict and verdict.decided}
        return [name for name in verdicts if name not in decided | self.failed.keys()]

    def missing(self) -> list[Run]:
        """Return the runs that are still wanted: those of open methods and of Vanilla, and then, if
        S-Mixup helps, those of its control at the same seeds.
        """
        wanted = self.open_methods()
        both = product(range(self.settings.seeds), [VANILLA, *wanted] if wanted else [])
        missing = [(name, seed) for seed, name in both if seed not in self.runs[name]]
        if missing or CONTROL in self.failed or CONTROL not in self.names:
            return missing
        verdict, asked = self.verdict(SMIXUP), self.alignment()
        if not verdict or verdict.answer is not Answer.HELPS or (asked and asked.decided):
            return []
        seeds = range(self.pairs(SMIXUP))
        return [(CONTROL, seed) for seed in seeds if seed not in self.runs[CONTROL]]

    def next_runs(self) -> Iterator[Run]:
        """Yield missing runs, asked anew before each, as long as they fit into the budget, judged
        by the mean of those before.
        """
        begun, budget = set[Run](), self.settings.budget or math.inf
        while missing := [run for run in self.missing() if run not in begun]:
            name, seed = missing[0]
            if self.elapsed() + fmean(self.seconds[name].values() or [0.0]) >= budget:
                return
            begun.add((name, seed))
            yield name, seed

    def elapsed(self) -> float:
        """Return the seconds since the call began."""
        return monotonic() - self.begun


def score_measure(metric: str, reference: Results, margin: float | None = None) -> Measure:
    """Return how a score is compared; runs of Vanilla tell the size of a margin in its units."""
    score, usual = metric_named(metric), MARGIN
    if not score.higher:
        usual *= abs(fmean(run.test for run in reference))
    scale = 100.0 if score.is_share else 1.0
    return Measure(metric, score.higher, scale, margin or usual or MARGIN)


def scores(runs: Results, loss: bool) -> Array:
    """Return scores or losses of every graph where runs kept predictions, else of every run."""
    if not all(run.predictions and (loss or run.metric == "accuracy") for run in runs):
        return np.array([run.scaled_loss if loss else run.test for run in runs])
    rows = list[Array]()
    for run in runs:
        predictions = from_bytes(run.predictions)
        losses = predictions.log_loss(
            run.temperature
        )  # of rounded logits: the run knows their mean
        losses += run.scaled_loss - float(np.nanmean(losses))
        rows.append(losses if loss else predictions.correct)
    return np.stack(rows)


Watch = Callable[[PairedRuns], None]


def run_pairs(
    settings: CompareSettings,
    file: Path,
    *,
    workers: int = 1,
    cluster: str | None = None,
    watch: Watch = lambda pairs: None,
) -> PairedRuns:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again.

    A method is run until it is decided by its score. If S-Mixup helps, its control follows on the
    seeds that S-Mixup has.
    """
    pairs = PairedRuns.of(settings)
    settings, names = pairs.settings, pairs.names
    runs = [(name, seed) for seed in range(settings.seeds) for name in names]
    keys = {run: key_of(settings.config(*run), settings.root) for run in runs}
    places = {key: run for run, key in keys.items()}
    require(len(places) == len(runs), "methods", ", ".join(names), "different ones")
    where: dict[str, Any] = {"cluster": cluster, "root": settings.root}
    where["matchers"] = file.with_name(f"{file.name}.workspace")  # and states of unfinished runs
    with closing(Store(file)) as store:
        for key, finished in store.fetch(places).items():
            pairs.take(*places[key], finished.result, finished.seconds)
        watch(pairs)
        try:
            while first := next(coming := pairs.next_runs(), None):  # else no worker is started
                jobs = (Job(keys[run], settings.config(*run)) for run in chain([first], coming))
                with closing(run_jobs(jobs, workers, **where)) as outcomes:
                    for outcome in outcomes:
                        run, result = places[outcome.key], outcome.result
                        if result is None:
                            pairs.fail(run[0], outcome.error)
                        else:
                            pairs.take(*run, result, outcome.seconds)
                            store.keep(outcome.key, settings.config(*run), result, outcome.seconds)
                        watch(pairs)
        except (KeyboardInterrupt, Interrupted):  # in a run of this process it is told by that
            raise Interrupted(
                f"interrupted; finished runs are in {file}: repeat the command to go on."
            ) from None
    return pairs
