"""The power of a plan: by hand, against published figures, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from app.evidence.simulate import Design, Truth, differences

from smixup.app.evidence.paired_graphs import paired_graphs
from smixup.app.evidence.power import Noise, Plan, detectable, trainings_needed
from smixup.app.tables.comparison import detectable_difference
from smixup.errors import UsageError


@pytest.mark.parametrize(
    ("graphs", "q", "deviation", "times", "points"),
    [(1000, 0.098, 0.05, 10, 0.35), (1113, 0.052, 0.1, 5, 0.43), (4110, 0.123, 0.05, 1, 0.55)],
)
def test_the_error_by_hand(
    graphs: int, q: float, deviation: float, times: int, points: float
) -> None:
    """sqrt(s_g^2 / G + q / (G R)), in points."""
    noise = Noise(q, deviation, split_deviation=0.0)
    error, _ = Plan.of_folds(graphs, 10, times).error(noise)
    assert 100 * error == pytest.approx(points, abs=0.006)


def test_without_effects_of_graphs_it_is_that_of_seeds() -> None:
    """A split that tests all graphs is a seed with a score; words and numbers agree."""
    noise = Noise(0.1, 0.0, 0.02)
    per_split = math.sqrt(0.02**2 + 0.1 / 5000)
    found = detectable(Plan(5000, splits=10, tested=5000), noise)
    assert found == pytest.approx(detectable_difference(per_split, 10), rel=0.001)


def test_more_splits_and_more_graphs_see_more_and_random_splits_less() -> None:
    folds = [detectable(Plan.of_folds(1000, 10, repeats)) for repeats in (1, 3, 10, 100)]
    assert folds == sorted(folds, reverse=True)
    assert detectable(Plan(1000, 30, 100)) > folds[1], "random splits test unevenly"
    assert detectable(Plan.of_folds(4000, 10, 3)) < folds[1]
    again = Plan.of_folds(1000, 10, 3, initialisations=2)
    assert folds[2] < detectable(again) < folds[1]
    assert again.trainings == 60


def test_two_splits_find_nothing() -> None:
    assert detectable(Plan(1000, 2, 900)) == math.inf


def test_trainings_needed_are_just_enough() -> None:
    plan = Plan.of_folds(1000, 10, initialisations=2)
    trainings = trainings_needed(plan, 0.01)
    assert trainings is not None
    assert trainings % 20 == 0
    repeats = trainings // 20
    assert detectable(Plan.of_folds(1000, 10, repeats, 2)) <= 0.01
    assert detectable(Plan.of_folds(1000, 10, repeats - 1, 2)) > 0.01
    few = trainings_needed(Plan(4110, 1, 3710), 0.01)
    assert few is not None
    assert detectable(Plan(4110, few, 3710)) <= 0.01 < detectable(Plan(4110, few - 1, 3710))


def test_a_small_dataset_never_shows_a_point() -> None:
    assert trainings_needed(Plan.of_folds(188, 10), 0.01) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Plan(1, 5, 1),
        lambda: Plan(10, 5, 11),
        lambda: Plan(10, 0, 5),
        lambda: Plan.of_folds(10, 1),
        lambda: Noise(disagreement=1.5),
        lambda: trainings_needed(Plan(10, 5, 5), 0.0),
    ],
)
def test_misuse(wrong: object) -> None:
    with pytest.raises(UsageError, match="must be"):
        wrong()  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("design", [Design(400, 15, folds=5), Design(300, 10, share=0.8)])
def test_four_of_five_sweeps_find_what_is_detectable(design: Design) -> None:
    """Simulated with a tenth of entries that differ; graphs vary by what is planned for."""
    truth = Truth(q=0.1, graphs=0.06, splits=0.015, borderline=0.4)
    folds, share = design.folds, design.share
    tested = design.graphs / folds if folds else share * design.graphs
    plan = Plan(design.graphs, design.splits, tested, 1, folds)
    effect = 0.03
    for _ in range(20):  # borderline graphs have more of the effect than others
        spread = math.hypot(0.06, effect * math.sqrt(0.6 / 0.4))
        effect = detectable(plan, Noise(0.1, spread, 0.015))
    random = np.random.default_rng(5)
    found = (paired_graphs(*differences(design, truth, random, effect)) for _ in range(1000))
    power = float(np.mean([each.low > 0 for each in found]))
    assert 0.78 <= power <= 0.86
