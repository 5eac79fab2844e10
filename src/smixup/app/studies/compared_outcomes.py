"""What paired runs of a method and of Vanilla say: by the score, and by log loss after temperature
scaling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smixup.app.evidence.decision import Decision, LookAt, decide
from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.resampled_t import resampled_t
from smixup.app.evidence.sequential import paired_look
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.runs.words import decimal, signed
from smixup.training.metrics import metric_named

POINTS = 100.0
MARGIN = 0.02
"""A difference that matters where nobody says: two points of a score, 0.02 of a log loss; of an
error in units of its own, this share of Vanilla's.
"""

ByGraph = Callable[[RunResult], NDArray[np.float64]]


@dataclass(frozen=True)
class Outcome:
    """A number by which methods are compared.

    Attributes:
        name: in sentences.
        higher_is_better: False for a loss or an error.
        points: whether it is a share that people read in points.
        margin: a difference that matters, as the number itself is counted.
    """

    name: str
    higher_is_better: bool
    points: bool
    margin: float

    def amount(self, value: float, sign: bool = True) -> str:
        """Return a difference as text, such as `+1.3 points`."""
        return f"{self.bare(value, sign)}{' points' if self.points else ''}"

    def bare(self, value: float, sign: bool = True) -> str:
        """Return a difference as text without its unit."""
        shown, digits = (POINTS * value, 1) if self.points else (value, 3)
        return signed(shown, digits) if sign else decimal(shown, digits)

    def limit(self) -> str:
        """Return the margin as text: `2 points`."""
        shown = POINTS * self.margin if self.points else self.margin
        return f"{shown:.3g}" + (" points" if self.points else "")


@dataclass(frozen=True)
class Judged:
    """One outcome of one method less Vanilla's.

    Attributes:
        outcome: which.
        differences: of every paired run.
        decision: what they allow to say.
        by_graph: whether graphs were compared one by one, or runs as a whole.
    """

    outcome: Outcome
    differences: NDArray[np.float64]
    decision: Decision
    by_graph: bool

    @property
    def mean(self) -> float:
        """The mean difference at the look that decided, or of all runs before the first look."""
        return self.decision.bounds.estimate.mean


def score_outcome(metric: str, reference: Sequence[float], margin: float | None = None) -> Outcome:
    """Return how the score of runs is compared.

    Args:
        metric: its name.
        reference: Vanilla's scores, for the size of a margin in units of its own.
        margin: as the score itself is counted, 0.02 for two points; by default 0.02, of an error
            two percent of Vanilla's mean.
    """
    found = metric_named(metric)
    scaled = not found.higher and len(reference) > 0
    usual = MARGIN * abs(float(np.mean(reference))) if scaled else MARGIN
    return Outcome(metric, found.higher, found.is_share, margin or usual or MARGIN)


def loss_outcome(margin: float | None = None) -> Outcome:
    """Return how log losses are compared, each after the temperature that its run fitted."""
    return Outcome("log loss", False, False, margin or MARGIN)


def judge_score(
    outcome: Outcome,
    method: Sequence[RunResult],
    vanilla: Sequence[RunResult],
    test_over_train: float,
    methods: int = 1,
) -> Judged:
    """Compare scores: graph by graph if it is accuracy and runs kept predictions, else run by run.

    Args:
        outcome: of `score_outcome`.
        method, vanilla: runs at the same splits, place by place.
        test_over_train: tested graphs over graphs trained on, see `resampled_t`.
        methods: how many are compared with Vanilla.
    """
    pairs, shared = (method, vanilla), (test_over_train, methods)
    if outcome.name == "accuracy" and _have_predictions(*pairs):
        return _by_graph(outcome, *pairs, lambda run: from_bytes(run.predictions).correct, methods)
    return _by_run(outcome, *pairs, lambda run: run.test, *shared)


def judge_loss(
    outcome: Outcome,
    method: Sequence[RunResult],
    vanilla: Sequence[RunResult],
    test_over_train: float,
    methods: int = 1,
) -> Judged | None:
    """Compare log losses as `judge_score` does scores; None where there is no such loss."""
    if not all(math.isfinite(run.scaled_loss) for run in (*method, *vanilla)):
        return None
    if _have_predictions(method, vanilla):
        return _by_graph(outcome, method, vanilla, _scaled_losses, methods)
    return _by_run(outcome, method, vanilla, lambda run: run.scaled_loss, test_over_train, methods)


def _scaled_losses(run: RunResult) -> NDArray[np.float64]:
    """Return the log loss of each graph. Kept logits are rounded, which a low temperature makes
    large: the mean is put where the run, which had the logits themselves, found it.
    """
    found = from_bytes(run.predictions).log_loss(run.temperature)
    return found + (run.scaled_loss - float(np.nanmean(found)))


def _have_predictions(*sides: Sequence[RunResult]) -> bool:
    return all(run.predictions for side in sides for run in side)


def _by_graph(
    outcome: Outcome,
    method: Sequence[RunResult],
    vanilla: Sequence[RunResult],
    of_graphs: ByGraph,
    methods: int,
) -> Judged:
    rows = [of_graphs(ours) - of_graphs(theirs) for ours, theirs in _pairs(method, vanilla)]
    table = np.stack(rows)

    def look_at(runs: int) -> Estimate:
        return paired_look(table[:runs], range(runs))

    return _judged(outcome, np.nanmean(table, 1), look_at, methods, True)


def _by_run(
    outcome: Outcome,
    method: Sequence[RunResult],
    vanilla: Sequence[RunResult],
    number: Callable[[RunResult], float],
    test_over_train: float,
    methods: int,
) -> Judged:
    found = np.array([number(ours) - number(theirs) for ours, theirs in _pairs(method, vanilla)])

    def look_at(runs: int) -> Estimate:
        return resampled_t(found[:runs], test_over_train)

    return _judged(outcome, found, look_at, methods, False)


def _judged(
    outcome: Outcome,
    differences: NDArray[np.float64],
    look_at: LookAt,
    methods: int,
    by_graph: bool,
) -> Judged:
    decision = decide(
        look_at,
        len(differences),
        outcome.margin,
        methods,
        higher_is_better=outcome.higher_is_better,
    )
    return Judged(outcome, differences, decision, by_graph)


def _pairs(
    method: Sequence[RunResult], vanilla: Sequence[RunResult]
) -> Iterator[tuple[RunResult, RunResult]]:
    return zip(method, vanilla, strict=True)
