"""Means and paired differences, against hand computation and scipy's own test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from smixup.app.tables.comparison import Difference, Summary, detectable_difference
from smixup.errors import UsageError

ONE, TWO = [0.9, 0.8, 0.95, 0.7], [0.7, 0.75, 0.8, 0.72]


def test_summary() -> None:
    summary = Summary.of([1.0, 3.0])
    assert (summary.mean, summary.number) == (2.0, 2)
    assert summary.deviation == pytest.approx(math.sqrt(2))
    assert math.isnan(Summary.of([1.0]).deviation)


def test_the_interval_is_that_of_the_paired_t_test() -> None:
    difference = Difference.between(ONE, TWO)
    expected = ttest_rel(ONE, TWO).confidence_interval(0.95)
    assert (difference.low, difference.high) == pytest.approx((expected.low, expected.high))
    assert difference.mean == pytest.approx(0.095)
    assert not difference.decided
    assert Difference.between([1.0, 1.1, 1.2], [0.0, 0.1, 0.21]).decided
    assert Difference.between([0.0, 0.1, 0.21], [1.0, 1.1, 1.2]).decided
    assert not Difference.between([1.0, 1.1], [0.0, 0.1]).decided, "two pairs may agree by chance"


def test_one_pair_decides_nothing() -> None:
    difference = Difference.between([1.0], [0.0])
    assert (difference.low, difference.high, difference.decided) == (-math.inf, math.inf, False)


@pytest.mark.parametrize(("one", "two"), [([], []), ([1.0], [1.0, 2.0])])
def test_runs_that_are_no_pairs_are_an_error(one: list[float], two: list[float]) -> None:
    with pytest.raises(UsageError, match="paired runs"):
        Difference.between(one, two)
    with pytest.raises(UsageError, match="one run"):
        Summary.of([])


def test_a_loss_that_ran_away_leaves_a_mean_and_decides_nothing() -> None:
    summary = Summary.of([1.0, math.inf, 2.0])
    assert (summary.mean, summary.number) == (math.inf, 3)
    assert math.isnan(summary.deviation)
    assert not Difference.between([1.0, math.inf], [1.0, 2.0]).decided
    assert not Difference.between([math.inf, math.inf], [math.inf, 2.0]).decided


@pytest.mark.parametrize("number", [5, 10, 30])
def test_the_detectable_difference_is_found_in_four_of_five_sweeps(number: int) -> None:
    """Sweeps are drawn, and each is judged by scipy's own t-test."""
    random = np.random.default_rng(number)
    true = detectable_difference(2.0, number)
    sweeps = random.normal(true, 2.0, (20_000, number))
    found = ttest_rel(sweeps, np.zeros_like(sweeps), axis=1)
    assert np.mean(found.pvalue < 0.05) == pytest.approx(0.8, abs=0.02)
    smaller = ttest_rel(sweeps - true / 2, np.zeros_like(sweeps), axis=1)
    assert np.mean(smaller.pvalue < 0.05) < 0.4, "half of it is mostly missed"


def test_the_detectable_difference_by_hand() -> None:
    """Ten pairs: Student's quantiles at 9 degrees of freedom are 2.262 and 0.883."""
    assert detectable_difference(1.0, 10) == pytest.approx((2.262 + 0.883) / 10**0.5, abs=1e-3)
    assert detectable_difference(0.0, 10) == 0.0
    assert detectable_difference(1.0, 2) == math.inf, "two pairs decide nothing"
    pairs = Summary.of([a - b for a, b in zip(ONE, TWO, strict=True)])
    expected = detectable_difference(pairs.deviation, 4)
    assert Difference.between(ONE, TWO).detectable == expected
    assert Difference.between([1.0], [0.0]).detectable == math.inf
