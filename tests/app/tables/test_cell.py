"""A cell chooses by validation scores alone, among the candidates that were run most, and compares
paired runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

import pytest
from scipy.stats import ttest_rel

from smixup.app.runs.config import configure
from smixup.app.sweeps.store import Store
from smixup.app.tables.cell import Candidate, Cell, FilledCell

Keep = Callable[..., str]
SEEDS = 3


def candidate(method: str = "m-mixup", **settings: Any) -> Candidate:
    runs = [
        configure("MOTIF", "gin", method, seed, epochs=2, method_settings=settings)
        for seed in range(SEEDS)
    ]
    return Candidate(settings, runs)


LOW, HIGH = candidate(alpha=0.2), candidate(alpha=1.0)
VANILLA = candidate("vanilla")
CELL = Cell("gin", "M-Mixup", "MOTIF", [LOW, HIGH])


def fill(keep: Keep, of: Candidate, **scores: list[Any]) -> None:
    """Keep one run per number, from seed 0; None leaves a seed out."""
    for place, values in enumerate(zip(*scores.values(), strict=True)):
        if None not in values:
            keep(of.configs[place], **dict(zip(scores, values, strict=True)))


def alone(of: Candidate, store: Store) -> FilledCell:
    return Cell("gin", "row", "column", [of]).choose(store.records())


def test_the_validation_split_chooses_and_the_test_split_does_not(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[0.8, 0.7, 0.9], test=[0.1, 0.1, 0.1])
    fill(keep, HIGH, validation=[0.7, 0.8, 0.8], test=[0.9, 0.9, 0.9])
    filled = CELL.choose(store.records())
    assert filled.chosen is LOW
    assert filled.scores("test") == pytest.approx({0: 10.0, 1: 10.0, 2: 10.0})
    assert (filled.complete, filled.failed) == (True, 0)


@pytest.mark.parametrize("score", ["test_loss", "calibration_error"])
def test_no_other_score_chooses_either(keep: Keep, store: Store, score: str) -> None:
    fill(keep, LOW, validation=[0.8, 0.7, 0.9], **{score: [9.0, 9.0, 9.0]})
    fill(keep, HIGH, validation=[0.7, 0.8, 0.8], **{score: [0.0, 0.0, 0.0]})
    assert CELL.choose(store.records()).chosen is LOW


def test_it_is_the_mean_that_counts_not_the_best_seed(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[1.0, 0.1, 0.1])
    fill(keep, HIGH, validation=[0.5, 0.5, 0.5])
    assert CELL.choose(store.records()).chosen is HIGH


def test_only_candidates_with_the_most_runs_compete(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[0.99, None, None])
    fill(keep, HIGH, validation=[0.5, 0.4, None])
    filled = CELL.choose(store.records())
    assert filled.chosen is HIGH
    assert sorted(filled.runs) == [0, 1]
    assert not filled.complete
    fill(keep, LOW, validation=[0.99, 0.99, None])
    assert CELL.choose(store.records()).chosen is LOW


def test_a_grid_is_complete_when_every_candidate_has_every_seed(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[0.5, 0.5, 0.5])
    fill(keep, HIGH, validation=[0.5, 0.5, None])
    assert not CELL.choose(store.records()).complete
    keep(HIGH.configs[2], validation=0.5)
    assert CELL.choose(store.records()).complete


def folded(alpha: float) -> Candidate:
    """Two rounds of two folds."""
    runs = [
        configure(
            *("MOTIF", "gin", "m-mixup", seed),
            epochs=2,
            split="fold",
            fold=seed % 2,
            method_settings={"alpha": alpha},
        )
        for seed in range(4)
    ]
    return Candidate({"alpha": alpha}, runs)


def test_every_fold_may_choose_for_itself(keep: Keep, store: Store) -> None:
    low, high = folded(0.2), folded(1.0)
    fill(keep, low, validation=[0.9, 0.1, 0.7, 0.2], test=[0.1, 0.2, 0.3, 0.4])
    fill(keep, high, validation=[0.8, 0.5, 0.6, 0.6], test=[0.5, 0.6, 0.7, 0.8])
    cell = Cell("gin", "M-Mixup", "MOTIF", [low, high], by_fold=True)
    filled = cell.choose(store.records())
    assert filled.scores("test") == pytest.approx({0: 10.0, 1: 60.0, 2: 30.0, 3: 80.0})
    assert filled.chosen.settings == {"fold 0": "alpha 0.2", "fold 1": "alpha 1.0"}
    assert [config.seed for config in filled.chosen.configs] == [0, 1, 2, 3]
    assert filled.complete
    whole = Cell("gin", "M-Mixup", "MOTIF", [low, high]).choose(store.records())
    assert whole.chosen is high


def test_a_fold_chooses_among_those_that_were_run_most_in_it(keep: Keep, store: Store) -> None:
    low, high = folded(0.2), folded(1.0)
    fill(keep, low, validation=[0.9, 0.9, None, 0.9])
    fill(keep, high, validation=[0.5, 0.5, 0.5, None])
    filled = Cell("gin", "M-Mixup", "MOTIF", [low, high], by_fold=True).choose(store.records())
    assert filled.chosen.settings == {"fold 0": "alpha 1.0", "fold 1": "alpha 0.2"}
    assert (sorted(filled.runs), filled.complete) == ([0, 1, 2, 3], False)


def test_failed_runs_are_counted_and_do_not_count(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[0.5, 0.5, 0.5])
    for config in HIGH.configs[:2]:
        keep(config, error="no memory")
    filled = CELL.choose(store.records())
    assert (filled.chosen, filled.failed, filled.complete) == (LOW, 2, False)
    assert len(filled.runs) == 3


def test_nothing_run_is_nothing_said() -> None:
    filled = CELL.choose({})
    assert (filled.runs, filled.failed, filled.complete) == ({}, 0, False)
    assert filled.summary("test") is None
    assert filled.scores("test") == {}
    assert filled.difference(filled, "test") is None
    assert LOW.merit({}) == -math.inf


def test_runs_of_other_settings_are_not_taken_for_ours(keep: Keep, store: Store) -> None:
    keep(configure("MOTIF", "gin", "m-mixup", 0, epochs=3, method_settings={"alpha": 1.0}))
    keep(configure("MOTIF", "gcn", "m-mixup", 0, epochs=2, method_settings={"alpha": 1.0}))
    assert not CELL.choose(store.records()).runs


def test_mean_and_deviation_in_percent_but_for_the_loss(keep: Keep, store: Store) -> None:
    tests, losses = [0.71, 0.74, 0.68], [0.5, 0.75, 1.0]
    fill(keep, VANILLA, test=tests, test_loss=losses, calibration_error=[0.1, 0.2, 0.3])
    filled = alone(VANILLA, store)
    summary, loss, error = (
        filled.summary(name) for name in ("test", "test_loss", "calibration_error")
    )
    assert summary is not None
    assert loss is not None
    assert error is not None
    assert (summary.mean, summary.deviation) == pytest.approx(
        (100 * fmean(tests), 100 * stdev(tests))
    )
    assert (loss.mean, loss.deviation, loss.number) == pytest.approx((0.75, 0.25, 3))
    assert error.mean == pytest.approx(20.0)


def test_a_score_that_is_not_a_number_does_not_count(keep: Keep, store: Store) -> None:
    fill(keep, LOW, validation=[math.nan, 0.5, 0.7], test_loss=[1.0, math.nan, 3.0])
    assert alone(LOW, store).scores("test_loss") == {0: 1.0, 2: 3.0}
    assert LOW.merit(store.records()) == pytest.approx(0.6)


def test_differences_are_paired_on_common_seeds_as_in_scipy(keep: Keep, store: Store) -> None:
    five = [configure("MOTIF", "gin", "vanilla", seed, epochs=2) for seed in range(5)]
    mixed = [configure("MOTIF", "gin", "m-mixup", seed, epochs=2) for seed in range(5)]
    ours = {0: 0.75, 1: 0.81, 3: 0.68, 4: 0.9}
    theirs = {1: 0.7, 2: 0.1, 3: 0.66, 4: 0.84}
    for seed, score in ours.items():
        keep(mixed[seed], test=score)
    for seed, score in theirs.items():
        keep(five[seed], test=score)
    difference = alone(Candidate({}, mixed), store).difference(
        alone(Candidate({}, five), store), "test"
    )
    assert difference is not None
    shared = [1, 3, 4]
    test = ttest_rel([100 * ours[s] for s in shared], [100 * theirs[s] for s in shared])
    interval = test.confidence_interval(0.95)
    assert difference.number == 3
    assert (difference.low, difference.high) == pytest.approx((interval.low, interval.high))
    assert difference.mean == pytest.approx((11 + 2 + 6) / 3)
    assert difference.decided == (test.pvalue < 0.05)


def test_runs_without_a_common_seed_are_not_compared(keep: Keep, store: Store) -> None:
    fill(keep, VANILLA, test=[0.5, None, None])
    fill(keep, LOW, test=[None, 0.5, 0.5])
    assert alone(LOW, store).difference(alone(VANILLA, store), "test") is None


def test_all_runs_of_a_cell() -> None:
    assert CELL.configs == [*LOW.configs, *HIGH.configs]
    assert set(LOW.ids) == {0, 1, 2}
    assert not set(LOW.ids.values()) & set(HIGH.ids.values())


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_of_errors_the_lower_is_chosen(keep: Keep, store: Store, metric: str) -> None:
    name = [metric] * 3
    fill(keep, LOW, metric=name, validation=[80.0, 70.0, 90.0], test=[1.0, 1.0, 1.0])
    fill(keep, HIGH, metric=name, validation=[70.0, 80.0, 80.0], test=[900.0, 901.0, 902.0])
    filled = CELL.choose(store.records())
    assert filled.chosen is HIGH
    assert filled.scores("test") == {0: 900.0, 1: 901.0, 2: 902.0}, "in the units of the data"


def test_of_explained_variance_the_higher_is_chosen(keep: Keep, store: Store) -> None:
    fill(keep, LOW, metric=["r2"] * 3, validation=[0.8, 0.7, 0.9])
    fill(keep, HIGH, metric=["r2"] * 3, validation=[-7.0, 0.8, 0.8])
    filled = CELL.choose(store.records())
    assert filled.chosen is LOW
    assert filled.summary("validation").mean == pytest.approx(0.8)
