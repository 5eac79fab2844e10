"""Answers in words: the first look that allows one counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smixup.app.evidence.decision import Answer, decide
from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.sequential import LOOKS, half_width
from smixup.errors import UsageError


def steady(mean: float, deviation: float = 0.02) -> Callable[[int], Estimate]:
    """The same mean at every look, its error falling with the root of the runs."""

    def look_at(runs: int) -> Estimate:
        if runs < 2:
            return Estimate.unknown(mean, runs)
        return Estimate.student(mean, deviation / runs**0.5, runs - 1, runs)

    return look_at


@pytest.mark.parametrize(
    ("mean", "higher", "answer"),
    [
        (0.05, True, Answer.HELPS),
        (-0.05, True, Answer.HURTS),
        (-0.05, False, Answer.HELPS),
        (0.05, False, Answer.HURTS),
        (0.0, True, Answer.NO_LARGER),
    ],
)
def test_words(mean: float, higher: bool, answer: Answer) -> None:
    found = decide(steady(mean), 30, 0.01, higher_is_better=higher)
    assert (found.answer, found.decided, found.needed) == (answer, True, None)


def test_the_first_answer_stays() -> None:
    def look_at(runs: int) -> Estimate:
        return steady(0.05 if runs <= 15 else -0.05)(runs)

    found = decide(look_at, 30, 0.01)
    assert (found.answer, found.bounds.runs, found.runs) == (Answer.HELPS, 10, 30)


def test_before_the_first_look_nothing_is_decided() -> None:
    found = decide(steady(1.0), 9, 0.01)
    assert (found.answer, found.needed, found.more) == (Answer.CANNOT_TELL, 10, 1)
    assert (found.bounds.estimate.mean, found.bounds.runs) == (1.0, 9)


def test_one_run_knows_no_error_and_asks_for_the_first_look() -> None:
    assert decide(steady(0.0), 1, 0.01).more == 9


def test_runs_needed_are_those_that_would_decide() -> None:
    """Half of the margin is the hardest: both ways to an answer are equally far."""
    look_at = steady(0.01, deviation=0.05)
    found = decide(look_at, 30, 0.02)
    assert found.needed is not None and found.needed in LOOKS
    before = LOOKS[LOOKS.index(found.needed) - 1]
    assert half_width(look_at(30).se, 30, found.needed) < 0.01 <= half_width(0.05, 1, before)
    assert decide(look_at, found.needed, 0.02).decided


def test_no_number_of_runs_may_suffice() -> None:
    found = decide(steady(0.0001, deviation=1.0), 30, 0.0002)
    assert (found.decided, found.needed, found.more) == (False, None, None)


def test_more_methods_ask_for_more() -> None:
    look_at = steady(0.0125, deviation=0.02)
    assert decide(look_at, 10, 0.001).decided is False
    runs = [next(n for n in LOOKS if decide(look_at, n, 0.001, m).decided) for m in (1, 8)]
    assert runs[0] < runs[1]


@pytest.mark.parametrize(("runs", "margin"), [(0, 0.01), (30, 0.0), (30, -1.0)])
def test_what_makes_no_sense_is_an_error(runs: int, margin: float) -> None:
    with pytest.raises(UsageError):
        decide(steady(0.0), runs, margin)
