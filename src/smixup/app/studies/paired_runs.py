"""Paired runs of a comparison, as far as they are there, and what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean

from smixup.app.evidence.decision import Answer
from smixup.app.evidence.sequential import LOOKS
from smixup.app.runs.edge_use import edges_left_out
from smixup.app.runs.run import RunResult
from smixup.app.runs.scored_parts import scored_split
from smixup.app.runs.uneven_classes import uneven_classes
from smixup.app.runs.words import unused_attributes
from smixup.app.studies.compare_settings import CONTROL, SMIXUP, VANILLA, CompareSettings
from smixup.app.studies.compared_outcomes import (
    Judged,
    judge_loss,
    judge_score,
    loss_outcome,
    score_outcome,
)
from smixup.app.tables.arm import Arm
from smixup.datasets.catalogue import open_or_load

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
        edge_features: how many an edge has.
    """

    name: str
    graphs: int
    classes: int
    metric: str
    test_over_train: float
    train_graphs: int
    notes: tuple[str, ...] = ()
    edge_features: int = 0

    @classmethod
    def of(cls, settings: CompareSettings) -> DataFacts:
        """Open the dataset and its first split; what cannot be run is refused here."""
        config = settings.config(VANILLA, 0)
        dataset = open_or_load(config.dataset, settings.root, **config.dataset_options)
        split = scored_split(dataset, config)
        graphs, number = dataset.graphs, len(split.train)
        ratio = len(split.test) / max(number, 1)
        counts = len(graphs), int(graphs.num_classes)
        edges = graphs.num_edge_features
        used = settings.with_backbone(edges).classifier
        said = [*dataset.notes, edges_left_out(graphs, dataset.name, used)]
        if dataset.unused_attributes and "attributes" not in config.dataset_options:
            said.append(f"{unused_attributes(dataset.unused_attributes)}.")
        said.append(uneven_classes(dataset, config.metric or dataset.metric))
        notes = tuple(note for note in said if note)
        return cls(dataset.name, *counts, dataset.metric, ratio, number, notes, edges)


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
        """Vanilla, then the methods, then S-Mixup's control if it may be asked for."""
        return [VANILLA, *self.methods, *([self.control] if self.control else [])]

    @cached_property
    def methods(self) -> list[Arm]:
        """What is compared with Vanilla."""
        return self.settings.arms

    @cached_property
    def control(self) -> Arm | None:
        """What S-Mixup is compared with once it helps; None if that is not asked."""
        return self.settings.control_arm

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

    def alignment(self) -> Judged | None:
        """Return S-Mixup's score less that of its control, where both were run."""
        arms = {arm.name: arm for arm in self.arms}
        if not {SMIXUP, CONTROL} <= arms.keys():
            return None
        return self.against(arms[SMIXUP], arms[CONTROL])

    def open_control(self) -> list[int]:
        """Return the seeds at which the control is still to be run: those that S-Mixup has, if it
        helps, until the question is decided.
        """
        if self.control is None or self.control.name in self.failed:
            return []
        smixup = next(arm for arm in self.methods if arm.name == SMIXUP)
        judged, asked = self.score(smixup), self.alignment()
        helps = judged is not None and judged.decision.answer is Answer.HELPS
        if not helps or (asked is not None and asked.decision.decided):
            return []
        done = self.runs.get(self.control.name, {})
        return [seed for seed in range(self.pairs(smixup)) if seed not in done]

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
