"""Student's distribution is the one of `scipy.stats`, to the bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from smixup.app.evidence.student import quantile, tail

DEGREES = [0.7, 1.0, 4.0, 7.3, 29.0, 1e6, math.inf]
LEVELS = np.arange(1, 1000) / 1000


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles(df: float) -> None:
    found = quantile(LEVELS, df)
    assert np.array_equal(found, t.ppf(LEVELS, df))
    assert np.array_equal(-found, t.isf(LEVELS, df))
    assert quantile(0.975, df) == t.ppf(0.975, df)
    assert t.cdf(found, df) == pytest.approx(LEVELS)


@pytest.mark.parametrize("df", DEGREES)
def test_tails(df: float) -> None:
    for value in np.linspace(0, 12, 50):
        assert tail(value, df) == t.sf(value, df)


def test_infinitely_many_degrees_are_normal() -> None:
    assert quantile(0.975, math.inf) == pytest.approx(norm.ppf(0.975))


def test_what_cannot_be_known_is_nan() -> None:
    assert math.isnan(quantile(0.975, 0.0))
    assert math.isnan(tail(1.0, math.nan))
