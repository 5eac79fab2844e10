"""The corrected resampled t: hand computation, and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from app.evidence.simulate import TRUTHS, Design, covered
from scipy.stats import t

from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.resampled_t import resampled_t
from smixup.errors import UsageError


def test_by_hand() -> None:
    """Differences 1, 2, 3, 4: s^2 = 5/3, var = 5/3 (1/4 + 1/9) = 65/108."""
    estimate = resampled_t([1.0, 2.0, 3.0, 4.0], 1 / 9)
    assert estimate.mean == 2.5
    assert estimate.se == pytest.approx(math.sqrt(65 / 108))
    assert estimate.high == pytest.approx(2.5 + 3.182446 * math.sqrt(65 / 108), rel=1e-6)
    assert estimate.p == pytest.approx(2 * t.sf(2.5 / math.sqrt(65 / 108), 3))


def test_one_training_excludes_nothing() -> None:
    assert resampled_t([0.5], 0.1).low == -math.inf


@pytest.mark.parametrize(
    ("values", "ratio", "words"),
    [([], 0.1, "not none"), ([1.0, math.nan], 0.1, "finite"), ([1.0, 2.0], 0.0, "test_over_train")],
)
def test_misuse(values: list[float], ratio: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resampled_t(values, ratio)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "ratio"), [(5, 0.25), (10, 1 / 9), (30, 1 / 9)])
def test_coverage_where_scores_are_as_alike_as_assumed(number: int, ratio: float) -> None:
    """Any two differences have the correlation n_test / (n_train + n_test)."""
    random = np.random.default_rng(number)
    alike = ratio / (1 + ratio)
    held = 0
    for _ in range(4000):
        shared, own = random.standard_normal(), random.standard_normal(number)
        values = 0.3 + math.sqrt(alike) * shared + math.sqrt(1 - alike) * own
        estimate = resampled_t(values, ratio)
        held += estimate.low <= 0.3 <= estimate.high
    assert 0.94 <= held / 4000 <= 0.96


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
def test_it_is_conservative_for_repeated_folds(truth: str) -> None:
    """Independent trainings, graphs shared by the repeats alone."""

    def judge(values: np.ndarray, splits: np.ndarray) -> Estimate:
        return resampled_t(np.nanmean(values, 1), 1 / 4)

    share = covered(judge, Design(188, 15, folds=5), TRUTHS[truth], 1000, seed=14)
    assert share >= 0.96
