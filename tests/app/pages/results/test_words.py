"""Estimates in words."""

from __future__ import annotations

import math

import pytest

from smixup.app.evidence.estimate import Estimate
from smixup.app.pages.results.words import (
    interval,
    listed,
    markdown_table,
    power,
)


def test_an_interval_without_zero_is_bold() -> None:
    assert interval(Estimate.student(1.0, 0.1, 1000, 20)) == "**+1.00 [+0.80, +1.20]**"
    assert interval(Estimate.student(0.1, 0.1, 1000, 20)) == "+0.10 [-0.10, +0.30]"
    assert interval(Estimate.student(-0.5, 0.1, 1000, 20), 3).startswith("**-0.500 [-0.696")


def test_two_splits_decide_nothing() -> None:
    assert not Estimate.student(1.0, 0.01, 1, 2).decided
    assert "**" not in interval(Estimate.student(1.0, 0.01, 1, 2))
    assert interval(Estimate.unknown(0.5, 1)) == "+0.50"
    assert interval(None) == power(None) == power(Estimate.unknown(0.5, 1)) == ""


def test_what_would_be_shown_is_four_times_in_five() -> None:
    estimate = Estimate.student(0.0, 1.0, 1e9, 50)
    assert estimate.detectable == pytest.approx(1.95996 + 0.84162, abs=1e-3)
    assert math.isinf(Estimate.unknown(0.5, 1).detectable)
    assert power(estimate) == "2.8"


def test_tables_and_lists() -> None:
    assert markdown_table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert [listed(list(names)) for names in ("", "a", "ab", "abc")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
