"""Estimates in words."""

from __future__ import annotations

import pytest

from smixup.app.evidence.equivalence import verdict
from smixup.app.evidence.estimate import Estimate
from smixup.errors import UsageError


def estimate(mean: float, se: float, number: int = 30) -> Estimate:
    return Estimate.student(mean, se, number - 1, number)


@pytest.mark.parametrize(
    ("mean", "se", "words"),
    [
        (0.03, 0.01, "better"),
        (-0.03, 0.01, "worse"),
        (0.004, 0.001, "better, by less than 1 point"),
        (-0.004, 0.001, "worse, by less than 1 point"),
        (0.001, 0.002, "within 1 point"),
        (0.001, 0.02, "undecided"),
        (0.009, 0.006, "undecided"),
        (0.0, 0.0, "within 1 point"),
    ],
)
def test_words(mean: float, se: float, words: str) -> None:
    assert str(verdict(estimate(mean, se))) == words


def test_equivalence_is_judged_at_90_percent_and_difference_at_95() -> None:
    """The 95 % interval reaches beyond the margin, the 90 % interval does not."""
    between = estimate(0.0, 0.01 / 1.8)
    assert between.high > 0.01 > between.narrow_high
    assert str(verdict(between)) == "within 1 point"
    nearly = estimate(0.018, 0.01)
    assert nearly.narrow_low > 0 > nearly.low
    assert str(verdict(nearly)) == "undecided"


def test_a_loss_is_better_when_it_is_lower() -> None:
    lower = estimate(-0.05, 0.01)
    assert str(verdict(lower, 0.1, "0.1 nats", higher_is_better=False)) == (
        "better, by less than 0.1 nats"
    )
    assert verdict(lower, higher_is_better=False).direction == "better"
    assert verdict(lower).direction == "worse"


def test_two_that_agree_by_chance_decide_nothing() -> None:
    assert str(verdict(estimate(0.1, 0.0, 2))) == "undecided"
    assert str(verdict(estimate(0.0, 0.0, 2))) == "undecided"
    assert str(verdict(Estimate.unknown(0.0, 1))) == "undecided"


def test_a_margin_is_above_zero() -> None:
    with pytest.raises(UsageError, match="margin must be above 0"):
        verdict(estimate(0.0, 1.0), 0.0)
