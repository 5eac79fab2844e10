"""The two-way bootstrap: against loops, against the formula, and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from app.evidence.simulate import TRUTHS, Design, Truth, covered, differences
from scipy.stats import norm, t

from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.paired_graphs import cells_of, paired_graphs
from smixup.app.evidence.two_way_bootstrap import _draws, _p_value, two_way_bootstrap
from smixup.errors import UsageError

TABLE, SPLITS = differences(
    Design(120, 15, folds=5, initialisations=2), Truth(), np.random.default_rng(7)
)


def test_draws_spread_like_those_of_a_loop() -> None:
    """Trainings and graphs are drawn one by one, and their entries listed."""
    random = np.random.default_rng(0)
    slow = []
    for _ in range(1500):
        rows = [i for c in random.integers(0, 15, 15) for i in np.flatnonzero(c == SPLITS)]
        slow.append(np.nanmean(TABLE[rows][:, random.integers(0, 120, 120)]))
    fast = _draws(*cells_of(TABLE, SPLITS), 20_000, np.random.default_rng(1))
    assert len(fast) == 20_000
    assert fast.mean() == pytest.approx(np.mean(slow), abs=4 * np.std(slow) / math.sqrt(1500))
    assert fast.std() == pytest.approx(np.std(slow), rel=0.07)


def test_it_agrees_with_the_formula() -> None:
    exact, drawn = (
        paired_graphs(TABLE, SPLITS),
        two_way_bootstrap(TABLE, SPLITS, draws=20_000),
    )
    assert drawn.mean == exact.mean
    assert drawn.high - drawn.low == pytest.approx(exact.high - exact.low, rel=0.06)
    inner = exact.narrow_high - exact.narrow_low
    assert drawn.narrow_high - drawn.narrow_low == pytest.approx(inner, rel=0.06)
    assert drawn.p == pytest.approx(exact.p, abs=0.03)


def test_plain_draws_spread_too_far() -> None:
    plain = two_way_bootstrap(TABLE, SPLITS, rescaled=False)
    rescaled = two_way_bootstrap(TABLE, SPLITS)
    assert plain.high - plain.low > 1.2 * (rescaled.high - rescaled.low)


def test_a_seed_repeats() -> None:
    one, two, other = (two_way_bootstrap(TABLE, SPLITS, seed=seed) for seed in (3, 3, 4))
    assert one == two
    assert one.low != other.low


def test_p_and_interval_tell_the_same() -> None:
    for shift in np.linspace(-0.1, 0.1, 21):
        estimate = two_way_bootstrap(TABLE + shift, SPLITS, draws=1000)
        assert (estimate.p < 0.05) == (estimate.low > 0 or estimate.high < 0)
        assert estimate.p >= 0.001 - 1e-12


def test_p_of_normal_distances_is_that_of_student() -> None:
    distances = norm.ppf(0.5 + (np.arange(1, 20_001) - 0.5) / 40_000)
    assert _p_value(distances, 2.5, 7.0) == pytest.approx(2 * t.sf(2.5, 7), rel=0.01)
    assert _p_value(distances, 0.0, 7.0) == 1.0


def test_nothing_to_draw_from() -> None:
    assert two_way_bootstrap(np.zeros((5, 9)), range(5)) == paired_graphs(
        np.zeros((5, 9)), range(5)
    )
    assert two_way_bootstrap(np.ones((1, 9)), [0]).high == math.inf
    with pytest.raises(UsageError, match="draws must be 100 or more"):
        two_way_bootstrap(TABLE, SPLITS, draws=10)


def test_tables_with_many_empty_cells_are_drawn_again_until_there_is_something() -> None:
    values = np.where(np.eye(3) > 0, [[1.0, 0.0, -1.0]], math.nan)
    drawn = _draws(*cells_of(values, range(3)), 500, np.random.default_rng(0))
    assert len(drawn) == 500
    assert np.isfinite(drawn).all()


def rescaled(values: np.ndarray, splits: np.ndarray) -> Estimate:
    return two_way_bootstrap(values, splits, draws=500)


DESIGNS = {
    "five folds, three initialisations": Design(188, 5, folds=5, initialisations=3),
    "five folds, three repeats": Design(100, 15, folds=5),
    "few labels, ten seeds": Design(150, 10, share=0.8),
}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("truth", ["mixed", "splits differ"])
def test_coverage(design: str, truth: str) -> None:
    """94 to 96 %, give or take 2.5 standard errors of 2000 replications."""
    share = covered(rescaled, DESIGNS[design], TRUTHS[truth], 2000, seed=12)
    assert 0.94 - 0.012 <= share <= 0.96 + 0.012


@pytest.mark.slow
def test_the_plain_bootstrap_is_too_careful() -> None:
    def plain(values: np.ndarray, splits: np.ndarray) -> Estimate:
        return two_way_bootstrap(values, splits, draws=500, rescaled=False)

    share = covered(plain, DESIGNS["five folds, three repeats"], TRUTHS["mixed"], 400, seed=13)
    assert share >= 0.98
