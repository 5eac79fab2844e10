"""Student's intervals, against scipy's own test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from smixup.app.evidence.estimate import Estimate


def test_student_is_the_t_test() -> None:
    values = np.array([0.3, -0.1, 0.5, 0.2])
    done = ttest_1samp(values, 0)
    estimate = Estimate.student(values.mean(), values.std(ddof=1) / 2, 3, 4)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(done.confidence_interval(0.95)))
    inner = tuple(done.confidence_interval(0.90))
    assert (estimate.narrow_low, estimate.narrow_high) == pytest.approx(inner)
    assert estimate.p == pytest.approx(done.pvalue)


def test_infinite_degrees_of_freedom_are_normal() -> None:
    estimate = Estimate.student(0.0, 1.0, math.inf, 10)
    assert estimate.high == pytest.approx(1.959964)
    assert estimate.narrow_high == pytest.approx(1.644854)


def test_no_error_leaves_no_doubt() -> None:
    same, apart = Estimate.student(0.0, 0.0, 4, 5), Estimate.student(0.1, 0.0, 4, 5)
    assert (same.low, same.high, same.p) == (0.0, 0.0, 1.0)
    assert (apart.low, apart.high, apart.p) == (0.1, 0.1, 0.0)


def test_the_unknown_excludes_nothing() -> None:
    estimate = Estimate.unknown(0.3, 1)
    assert (estimate.low, estimate.narrow_high) == (-math.inf, math.inf)
    assert math.isnan(estimate.p)


def test_what_is_found_four_times_in_five() -> None:
    """By simulation: of estimates whose truth is the detectable difference, 80 % are decided."""
    random = np.random.default_rng(2)
    truth = Estimate.student(0.0, 1.0, 19, 20).detectable
    se = np.sqrt(random.chisquare(19, 4000) / 19)
    means = truth + random.standard_normal(4000)
    found = [
        Estimate.student(mean, each, 19, 20).decided for mean, each in zip(means, se, strict=True)
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)
    assert math.isinf(Estimate.student(5.0, 1.0, 1, 2).detectable), "two units find nothing"
    assert not Estimate.student(5.0, 0.001, 1, 2).decided
