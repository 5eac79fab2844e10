"""Paired runs of a comparison, as far as they are there, and what they say."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from statistics import fmean, median
from time import monotonic
from typing import Any

import numpy as np

from smixup.app.compare.evidence import CELLS, Answer, Array, Measure, Verdict, judge
from smixup.app.compare.settings import CONTROL, SMIXUP, VANILLA, CompareSettings
from smixup.app.runs.config import train_command
from smixup.app.runs.data import data_notes, metric_of, scored_split
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.words import counted
from smixup.datasets.catalogue import open_or_load
from smixup.models import Model
from smixup.names import CLASSICAL
from smixup.progress import Progress
from smixup.training.metrics import metric_named

MARGIN = 0.02  # of a score; of an error in units of its own, a share of Vanilla's
HEADER = (*CELLS, "cost")
MEANING = "runs: up to the look that the rest is of; cost: time of a run, in multiples of Vanilla's"
Results = Sequence[RunResult]
Run = tuple[str, int]  # a method at a seed


@dataclass(eq=False, repr=False)
class Comparison:
    """Paired runs of a dataset, as far as they are there, and what they say: `str` gives verdicts
    and a table, `recommended` the method to train with.

    Attributes:
        name, graphs, metric, notes: what is known of the data before anything is run.
        test_over_train: how many graphs are tested for one that is trained on.
        runs, seconds: results, and time with data and preparation, by method and seed.
        model: the recommended one, if it was to be trained.
    """

    settings: CompareSettings
    name: str
    graphs: int
    metric: str
    notes: tuple[str, ...]
    test_over_train: float
    runs: dict[str, dict[int, RunResult]] = field(default_factory=lambda: defaultdict(dict))
    seconds: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    model: Model | None = None
    begun: float = field(default_factory=lambda: monotonic())
    _verdicts: dict[tuple[str, str, int], Verdict] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: CompareSettings) -> Comparison:
        """Open the dataset, which decides what was left open; what cannot be run is refused."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split = scored_split(dataset, config)
        settings = settings.suiting(dataset, len(split.train))
        notes = data_notes(dataset, settings.config(VANILLA, 0))
        metric, ratio = metric_of(dataset, config).name, len(split.test) / len(split.train)
        return cls(settings, dataset.name, len(dataset.graphs), metric, notes, ratio)

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
            return "the next run would not fit into the budget"
        return "no more runs were asked for" if self.open_methods() else "every method is decided"

    def take(self, run: Run, result: RunResult, seconds: float) -> None:
        name, seed = run
        self.runs[name][seed], self.seconds[name][seed] = result, seconds

    def pairs(self, name: str, over: str = VANILLA) -> int:
        """Return how many seeds, from the first one on, are done by both."""
        both = self.runs[name].keys() & self.runs[over].keys()
        return next(seed for seed in count() if seed not in both)

    def verdict(self, name: str, over: str = VANILLA) -> Verdict | None:
        """Return what is said of its score beside another's, if anything."""
        key = name, over, self.pairs(name, over)
        ours, theirs = ([self.runs[each][seed] for seed in range(key[2])] for each in key[:2])
        if ours and key not in self._verdicts:
            title, methods = name, len(self.settings.methods)
            if over == CONTROL:
                title, methods = "the alignment", 1
            measure = score_measure(self.metric, theirs, self.settings.margin)
            both = scores(ours), scores(theirs)
            self._verdicts[key] = judge(title, over, measure, both, self.test_over_train, methods)
        return self._verdicts.get(key)

    def open_methods(self) -> list[str]:
        """Return the methods that are not decided."""
        verdicts = {name: self.verdict(name) for name in self.settings.methods}
        return [name for name, verdict in verdicts.items() if not (verdict and verdict.decided)]

    def missing(self) -> list[Run]:
        """Return the runs that are still wanted: those of open methods and of Vanilla, and then, if
        S-Mixup helps, those of its control at the same seeds. What the alignment adds has looks and
        a chance of error of its own: where S-Mixup helps by error, both would have to be wrong.
        """
        wanted = self.open_methods()
        both = product(range(self.settings.seeds), [VANILLA, *wanted] if wanted else [])
        missing = [(name, seed) for seed, name in both if seed not in self.runs[name]]
        if missing or CONTROL not in self.names:
            return missing
        score, alignment = self.verdict(SMIXUP), self.verdict(SMIXUP, over=CONTROL)
        if not score or score.answer is not Answer.HELPS or (alignment and alignment.decided):
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
            expected = fmean(self.seconds[name].values() or [0.0])
            if monotonic() - self.begun + expected >= budget:
                return
            begun.add((name, seed))
            yield name, seed

    @property
    def verdicts(self) -> list[Verdict]:
        """What is said of each method, then of the alignment."""
        of_methods = map(self.verdict, self.settings.methods)
        return [each for each in (*of_methods, self.verdict(SMIXUP, over=CONTROL)) if each]

    def progress(self) -> Progress:
        """Return how many runs are done, and the mean differences so far."""
        done, verdicts = sum(map(len, self.runs.values())), self.verdicts
        means = {verdict.name: verdict.difference for verdict in verdicts}
        return Progress("runs", done, done + len(self.missing()), means)

    @property
    def costs(self) -> dict[str, float]:
        """The time of a run, with its preparation, as a multiple of Vanilla's; medians."""
        times = {name: median(each.values()) for name, each in self.seconds.items() if each}
        return {name: time / times[VANILLA] for name, time in times.items() if VANILLA in times}

    @property
    def recommended(self) -> str:
        """The method that gains most among those that help by the score; `vanilla` if none does."""
        scores = map(self.verdict, self.settings.methods)
        helping = [score for score in scores if score and score.answer is Answer.HELPS]
        best = max(helping, key=lambda score: abs(score.difference), default=None)
        return best.name if best else VANILLA

    @property
    def command(self) -> str:
        """The command that trains the recommended model."""
        final, root = self.settings.config(self.recommended, 0), self.settings.root
        return train_command(final, root=root, out="model/")

    @property
    def headline(self) -> str:
        if self.recommended in CLASSICAL:
            return f"Take {self.recommended}: it scores higher than the network on {self.name}."
        if self.recommended != VANILLA:
            return f"Train with {self.recommended}: it helps on {self.name}."
        if undecided := ", ".join(self.open_methods()):
            return f"Train without augmentation for now; not decided on {self.name}: {undecided}."
        return f"Train without augmentation: none that was tried helps on {self.name}."

    @property
    def state(self) -> str:
        """How much was run, and why no more."""
        runs = max(map(self.pairs, self.settings.methods))
        about = f"{counted(self.graphs, 'graph')}, score is {self.metric}"
        return f"{self.name}: {about}; {counted(runs, 'paired run')}, {self.ended}."

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row per verdict under `HEADER`."""
        costs = {name: f"{cost:.1f}x" for name, cost in self.costs.items()}
        return [(*verdict.cells(), costs.get(verdict.name, "")) for verdict in self.verdicts]

    def __str__(self) -> str:
        table = [HEADER, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        form = "  ".join(f"{{:<{width}}}" for width in widths)
        lines = [form.format(*row).rstrip() for row in table]
        sentences = [verdict.sentence for verdict in self.verdicts]
        told = [self.headline, *sentences, "", *lines, MEANING, "", self.state]
        return "\n".join(told if self.model else [*told, f"Next: {self.command}"])

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.name,
            "graphs": self.graphs,
            "metric": self.metric,
            "backbone": self.settings.backbone,
            "recommended": self.recommended,
            "headline": self.headline,
            "command": self.command,
            "ended": self.ended,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "costs": self.costs,
        }


def score_measure(metric: str, reference: Results, margin: float | None = None) -> Measure:
    """Return how a score is compared; runs of Vanilla tell the size of a margin in its units."""
    score, usual = metric_named(metric), MARGIN
    if not score.higher:
        usual *= abs(fmean(run.test for run in reference))
    scale = 100.0 if score.is_share else 1.0
    return Measure(metric, score.higher, scale, margin or usual or MARGIN)


def scores(runs: Results) -> Array:
    """Return scores of every graph where runs kept which are right, else of every run."""
    if all(run.predictions and run.metric == "accuracy" for run in runs):
        return np.stack([from_bytes(run.predictions).correct for run in runs])
    return np.array([run.test for run in runs])
