"""Pooling over datasets: by hand, by a slow search, and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from smixup.app.evidence.random_effects import random_effects
from smixup.errors import UsageError


def test_equal_errors_by_hand() -> None:
    """Effects 1, 3, 5 with errors 1: sum of squares 8 = 2 (1 + tau^2), so tau^2 = 3 and w = 1/4."""
    pooled = random_effects([1.0, 3.0, 5.0], [1.0, 1.0, 1.0])
    assert pooled.tau == pytest.approx(math.sqrt(3))
    assert pooled.i_squared == pytest.approx(0.75)
    assert pooled.estimate.mean == pytest.approx(3)
    assert pooled.estimate.se == pytest.approx(math.sqrt(4 / 3))
    assert pooled.estimate.high == pytest.approx(3 + 4.302653 * math.sqrt(4 / 3), rel=1e-6)
    assert pooled.predicted_high == pytest.approx(3 + 12.706205 * math.sqrt(3 + 4 / 3), rel=1e-6)
    assert pooled.weights == pytest.approx([1 / 3] * 3)


def test_effects_that_agree_have_no_tau_and_keep_their_error() -> None:
    """The safeguard: three equal estimates do not make certainty."""
    pooled = random_effects([2.0, 2.0, 2.0], [1.0, 2.0, 2.0])
    assert (pooled.tau, pooled.i_squared) == (0, 0)
    assert pooled.estimate.se == pytest.approx(1 / math.sqrt(1 + 0.25 + 0.25))
    assert pooled.weights == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_against_a_slow_search() -> None:
    y, v = np.array([0.4, 2.1, -0.7, 1.3, 3.0]), np.array([0.3, 0.5, 0.2, 0.9, 0.4])

    def squares(tau_squared: float) -> float:
        total = sum(1 / (each + tau_squared) for each in v)
        mean = sum(a / (b + tau_squared) for a, b in zip(y, v, strict=True)) / total
        return sum((a - mean) ** 2 / (b + tau_squared) for a, b in zip(y, v, strict=True))

    grid = np.linspace(0, 4, 4001)
    tau_squared = grid[np.argmin([abs(squares(each) - 4) for each in grid])]
    pooled = random_effects(y, np.sqrt(v))
    assert pooled.tau**2 == pytest.approx(tau_squared, abs=1e-3)
    w = 1 / (v + tau_squared)
    mean = np.average(y, weights=w)
    knapp = math.sqrt(sum(w * (y - mean) ** 2) / 4 / sum(w))
    half = t.ppf(0.975, 4) * knapp
    assert (pooled.estimate.low, pooled.estimate.high) == pytest.approx(
        (mean - half, mean + half), rel=1e-3
    )
    assert (pooled.estimate.df, pooled.estimate.number) == (4, 5)


def test_units_do_not_matter() -> None:
    y, se = [0.4, 2.1, -0.7, 1.3], [0.3, 0.5, 0.2, 0.9]
    points, shares = random_effects(y, se), random_effects(np.divide(y, 100), np.divide(se, 100))
    assert shares.tau * 100 == pytest.approx(points.tau)
    assert shares.estimate.low * 100 == pytest.approx(points.estimate.low)
    assert shares.i_squared == pytest.approx(points.i_squared)


def test_few_datasets() -> None:
    one, two = random_effects([1.0], [0.1]), random_effects([1.0, 2.0], [0.1, 0.1])
    assert (one.estimate.mean, one.estimate.low) == (1.0, -math.inf)
    assert math.isfinite(two.estimate.low)
    assert two.predicted_low == -math.inf


@pytest.mark.parametrize(
    ("means", "errors", "words"),
    [
        ([], [], "one mean"),
        ([1.0, 2.0], [1.0], "one mean"),
        ([1.0, 2.0], [1.0, 0.0], "above zero"),
        ([1.0, math.nan], [1.0, 1.0], "finite"),
    ],
)
def test_misuse(means: list[float], errors: list[float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        random_effects(means, errors)


def coverage(tau: float, datasets: int, replications: int) -> tuple[float, float]:
    """Of the mean, and of a new dataset by the prediction interval."""
    random = np.random.default_rng(datasets)
    held, foretold = 0, 0
    for _ in range(replications):
        se = random.uniform(0.3, 1.0, datasets)
        true = 0.5 + tau * random.standard_normal(datasets + 1)
        pooled = random_effects(true[1:] + se * random.standard_normal(datasets), se)
        held += pooled.estimate.low <= 0.5 <= pooled.estimate.high
        foretold += pooled.predicted_low <= true[0] <= pooled.predicted_high
    return held / replications, foretold / replications


@pytest.mark.slow
@pytest.mark.parametrize("datasets", [6, 12])
def test_coverage_where_datasets_differ(datasets: int) -> None:
    held, foretold = coverage(1.5, datasets, 4000)
    assert 0.94 <= held <= 0.96
    assert 0.925 <= foretold <= 0.965


@pytest.mark.slow
def test_it_is_conservative_where_they_do_not() -> None:
    held, _ = coverage(0.0, 6, 2000)
    assert held >= 0.96


def test_errors_that_are_next_to_nothing() -> None:
    pooled = random_effects([1.0, 2.0, 4.0], [1e-9, 1e-9, 1e-9])
    assert pooled.tau == pytest.approx(np.std([1.0, 2.0, 4.0], ddof=1))
    assert pooled.estimate.mean == pytest.approx(7 / 3)


def test_one_error_that_is_next_to_nothing_beside_another() -> None:
    """The certain one decides, and the share between datasets is still a number."""
    pooled = random_effects([1.0, 1.5], [1e-12, 1.0])
    assert pooled.estimate.mean == pytest.approx(1)
    assert 0 <= pooled.i_squared <= 1
