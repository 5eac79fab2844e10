"""What is compared: which way is better, in which unit, and what difference matters."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from app.studies.pretended_runs import Pretended

from smixup.app.evidence.decision import Answer
from smixup.app.evidence.resampled_t import resampled_t
from smixup.app.evidence.sequential import paired_look
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.studies.compared_outcomes import (
    judge_loss,
    judge_score,
    loss_outcome,
    score_outcome,
)


def runs(share: float, number: int = 30, metric: str = "accuracy") -> list[RunResult]:
    pretended = Pretended({"x": share}, metric=metric)
    return [pretended.result("x", {"fold": n % 10, "seed": n}, 1.0) for n in range(number)]


@pytest.mark.parametrize(
    ("metric", "lower", "share"),
    [
        ("accuracy", False, True),
        ("balanced-accuracy", False, True),
        ("rocauc", False, True),
        ("r2", False, False),
        ("mae", True, False),
        ("rmse", True, False),
    ],
)
def test_directions_and_units(metric: str, lower: bool, share: bool) -> None:
    outcome = score_outcome(metric, [])
    assert (not outcome.higher_is_better, outcome.points) == (lower, share)


def test_words_for_differences() -> None:
    points, error = score_outcome("accuracy", [0.8]), score_outcome("mae", [4.0, 6.0])
    assert (points.amount(0.0131), points.limit()) == ("+1.3 points", "2 points")
    assert (error.amount(-0.25), error.limit()) == ("-0.250", "0.1")
    assert score_outcome("accuracy", [0.8], 0.005).limit() == "0.5 points"
    assert (loss_outcome().amount(0.01), loss_outcome(0.1).limit()) == ("+0.010", "0.1")


def test_accuracy_is_compared_graph_by_graph() -> None:
    ours, theirs = runs(0.9), runs(0.6)
    judged = judge_score(score_outcome("accuracy", []), ours, theirs, 1 / 8)
    assert (judged.decision.answer, judged.by_graph) == (Answer.HELPS, True)
    number = judged.decision.bounds.runs
    table = np.stack(
        [
            from_bytes(a.predictions).correct - from_bytes(b.predictions).correct
            for a, b in zip(ours, theirs, strict=True)
        ]
    )
    assert judged.decision.bounds.estimate == paired_look(table[:number], range(number))
    assert judged.differences == pytest.approx(
        [a.test - b.test for a, b in zip(ours, theirs, strict=True)]
    )


def test_other_scores_run_by_run_with_the_correction_for_shared_graphs() -> None:
    ours, theirs = runs(0.95, metric="rocauc"), runs(0.5, metric="rocauc")
    judged = judge_score(score_outcome("rocauc", []), ours, theirs, 1 / 8)
    number = judged.decision.bounds.runs
    assert judged.decision.bounds.estimate == resampled_t(judged.differences[:number], 1 / 8)


def test_a_lower_error_helps() -> None:
    ours, theirs = runs(0.5, metric="mae"), runs(0.95, metric="mae")
    judged = judge_score(score_outcome("mae", [run.test for run in theirs]), ours, theirs, 1 / 8)
    assert judged.decision.answer is Answer.HELPS
    assert judged.mean < 0
    assert judge_loss(loss_outcome(), ours, theirs, 1 / 8) is None


def test_log_loss_is_that_after_the_temperature_of_each_run() -> None:
    ours, theirs = runs(0.9, 12), runs(0.6, 12)
    judged = judge_loss(loss_outcome(), ours, theirs, 1 / 8)
    assert judged is not None
    assert judged.decision.answer is Answer.HELPS
    said = from_bytes(ours[0].predictions), from_bytes(theirs[0].predictions)
    expected = np.nanmean(said[0].log_loss(1.0) - said[1].log_loss(1.0))
    assert judged.differences[0] == pytest.approx(expected)
    assert not math.isnan(judged.mean)


def test_differences_of_log_loss_are_those_of_the_means_however_logits_were_rounded() -> None:
    """At a temperature of 0.05, rounding of kept logits would be twenty times as large."""
    ours, theirs = runs(0.9, 12), runs(0.6, 12)
    ours = [replace(run, temperature=0.05, scaled_loss=run.scaled_loss + 0.25) for run in ours]
    judged = judge_loss(loss_outcome(), ours, theirs, 1 / 8)
    assert judged is not None and judged.by_graph
    means = [a.scaled_loss - b.scaled_loss for a, b in zip(ours, theirs, strict=True)]
    assert judged.differences == pytest.approx(means)
