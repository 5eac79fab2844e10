"""The best epoch is the validation split's choice."""

from __future__ import annotations

import math

import pytest

from smixup.training.evaluation import Evaluation
from smixup.training.history import CURVES, History


@pytest.mark.parametrize(
    ("validation", "best"),
    [
        ([(0.5, 0.6), (0.7, 0.9), (0.6, 0.1)], 2),
        ([(0.7, 0.6), (0.7, 0.5), (0.7, 0.7)], 2),
        ([(0.7, 0.5), (0.7, 0.5)], 1),
    ],
)
def test_score_then_loss_then_the_earlier(validation: list[tuple[float, float]], best: int) -> None:
    history = History()
    for place, (score, loss) in enumerate(validation):
        history.record(1.0, Evaluation(loss, score), Evaluation(loss=-place, score=place))
    assert history.best_epoch == best
    assert history.at_best("test") == best - 1, (
        "the test score of that epoch, not the best test score"
    )


def test_a_copy_is_independent_and_makes_the_same_history() -> None:
    history = History()
    history.record(1.0, Evaluation(0.5, 0.5), Evaluation(0.4, 0.6))
    copy = history.to_dict()
    history.record(0.5, Evaluation(0.4, 0.7), Evaluation(0.3, 0.8))
    assert History(**copy).epochs == 1
    assert History(**copy).latest() == {"loss": 1.0, "validation": 0.5, "best": 0.5}


@pytest.mark.parametrize(
    "changes",
    [
        {"curves": 5},
        {"curves": {}},
        {"curves": {name: [1.0] for name in CURVES} | {"test": []}},
        {"curves": {name: ["x"] for name in CURVES}},
        {"best_epoch": 2},
        {"best_epoch": -1},
        {"best_epoch": None},
        {"seconds": []},
    ],
)
def test_notes_that_are_no_history_are_not_taken_up(changes: dict[str, object]) -> None:
    history, before = History(), History().to_dict()
    history.record(1.0, Evaluation(0.5, 0.5), Evaluation(0.4, 0.6))
    copy, other = history.to_dict(), History()
    other.restore(copy)
    assert other.to_dict() == copy
    empty = History()
    with pytest.raises((KeyError, TypeError, ValueError)):
        empty.restore(copy | changes)
    assert empty.to_dict() == before


def test_an_epoch_that_is_not_the_best_need_not_be_tested() -> None:
    history = History()
    assert history.record(1.0, Evaluation(0.5, 0.5)), "the first is the best so far"
    assert not history.record(0.9, Evaluation(0.6, 0.5))
    history.record_test(Evaluation(0.4, 0.6))
    assert math.isnan(history.curves["test"][1])
    assert math.isnan(history.curves["test_loss"][1])
    assert (history.at_best("test"), history.at_best("test_loss")) == (0.6, 0.4)
