"""A verdict is given only where the bounds allow it."""

from __future__ import annotations

import pytest

from smixup.analysis.interval import Interval, Verdict, spread


@pytest.mark.parametrize(
    ("number", "limit", "verdict"),
    [
        (Interval(0.1, 0.2), Interval(0.2, 0.3), Verdict.HOLDS),
        (Interval(0.1, 0.25), Interval(0.2, 0.3), Verdict.OPEN),
        (Interval(0.3, 0.4), Interval(0.2, 0.3), Verdict.OPEN),
        (Interval(0.31, 0.4), Interval(0.2, 0.3), Verdict.FAILS),
        (Interval(0.2 + 1e-9, 0.2 + 1e-9), Interval(0.2, 0.2), Verdict.HOLDS),
    ],
)
def test_at_most(number: Interval, limit: Interval, verdict: Verdict) -> None:
    assert number.reaches(limit) is verdict


def test_both_hold_if_each_does() -> None:
    holds, fails, still_open = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN
    assert holds.and_(holds) is holds
    assert holds.and_(still_open) is still_open
    assert still_open.and_(fails) is fails
    assert fails.and_(holds) is fails


def test_spread_of_a_monotone_function() -> None:
    assert spread(lambda a, b: a / b, Interval(1, 2), Interval(4, 8)) == Interval(0.125, 0.5)
