"""Looks at paired runs: published boundaries, and whole courses where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from app.evidence.simulate import TRUTHS, Design, differences
from scipy.stats import norm
from scipy.stats import t as student

from smixup.app.evidence.decision import Answer, Decision, decide
from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.paired_graphs import paired_graphs
from smixup.app.evidence.sequential import (
    ERROR,
    LOOKS,
    PLANNED,
    bounds,
    half_width,
    levels,
    paired_look,
    spending_levels,
    spent,
)
from smixup.errors import UsageError

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
NAN = math.nan
POINTS = 0.02


def test_published_boundaries() -> None:
    """Five equal looks, 2.5 % on one side: tables of Lan and DeMets' two spending functions."""
    obrien_fleming = [2 * norm.sf(norm.isf(0.0125) / math.sqrt(t)) for t in FIFTHS]
    pocock = [0.025 * math.log(1 + (math.e - 1) * t) for t in FIFTHS]
    found = norm.isf(spending_levels(FIFTHS, obrien_fleming))
    assert found == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)
    found = norm.isf(spending_levels(FIFTHS, pocock))
    assert found == pytest.approx([2.4380, 2.4268, 2.4101, 2.3966, 2.3859], abs=2e-4)


def test_crossings_add_up_to_what_is_spent() -> None:
    """An independent count: random walks against the boundary."""
    random, steps = np.random.default_rng(0), np.diff([0, *LOOKS])
    walks = np.cumsum(random.standard_normal((200_000, len(LOOKS))) * np.sqrt(steps), 1)
    crossed = walks / np.sqrt(LOOKS) > norm.isf(list(levels().values()))
    by_look = np.logical_or.accumulate(crossed, 1).mean(0)
    assert by_look == pytest.approx([spent(look) for look in LOOKS], abs=0.0015)


def test_the_chance_is_never_overdrawn() -> None:
    used = [spent(look) for look in LOOKS]
    assert used == sorted(used)
    assert spent(PLANNED) == pytest.approx(0.8 * ERROR)
    assert used[-1] < spent(10**9) <= ERROR


def test_a_look_must_be_later_than_the_one_before() -> None:
    with pytest.raises(UsageError, match="a look"):
        spending_levels((1, 1), (0.01, 0.02))


def test_bounds_are_students_at_the_level_of_the_look() -> None:
    found = bounds(Estimate.student(0.03, 0.01, 12.0, 15), 15, methods=2)
    half = student.isf(levels(ERROR / 2)[15], 12.0) * 0.01
    assert (found.low, found.high) == pytest.approx((0.03 - half, 0.03 + half))
    assert found.high - found.low > bounds(found.estimate, 15).high - bounds(found.estimate, 15).low


def test_between_looks_nothing_is_said() -> None:
    estimate = Estimate.student(5.0, 0.01, 8.0, 9)
    for runs in (9, 11):
        assert (bounds(estimate, runs).low, bounds(estimate, runs).high) == (-math.inf, math.inf)


def test_runs_that_agree_by_chance_are_not_sure() -> None:
    """Ten folds of 20 graphs, each one graph better: no spread, and no certainty."""
    values = np.full((10, 200), NAN)
    for fold in range(10):
        values[fold, 20 * fold : 20 * fold + 20] = 0.0
        values[fold, 20 * fold] = 1.0
    assert paired_graphs(values, range(10)).se == pytest.approx(0, abs=1e-12)
    found = paired_look(values, range(10))
    assert found.se == pytest.approx(math.sqrt(10) / 200)
    assert decide(lambda runs: found, 10, POINTS).answer is Answer.CANNOT_TELL


def test_where_runs_differ_the_spread_counts() -> None:
    """Folds that are better or worse as a whole."""
    values = np.where(np.eye(10).repeat(20, 1) > 0, np.resize([1.0, -1.0, 1.0], (10, 1)), NAN)
    assert paired_look(values, range(10)) == paired_graphs(values, range(10))


def test_a_later_look_is_as_wide_as_the_root_says() -> None:
    known = half_width(0.01, 30, 30)
    assert known == pytest.approx(bounds(Estimate.student(0, 0.01, 29, 30), 30).high)


def course(graphs: int, truth: str, effect: float, random: np.random.Generator) -> Decision:
    """Thirty paired runs on three times ten folds."""
    design = Design(graphs, PLANNED, folds=10)
    values, _ = differences(design, TRUTHS[truth], random, effect)
    return decide(lambda runs: paired_look(values[:runs], range(runs)), PLANNED, POINTS)


def answers(graphs: int, truth: str, effect: float, number: int, seed: int) -> dict[Answer, float]:
    random = np.random.default_rng(seed)
    found = [course(graphs, truth, effect, random).answer for _ in range(number)]
    return {answer: found.count(answer) / number for answer in Answer}


def test_equals_are_seldom_told_apart() -> None:
    """5 % at most, give or take two standard errors of 400 courses."""
    found = answers(188, "mixed", 0.0, 400, seed=1)
    assert found[Answer.HELPS] <= 0.05 + 0.022
    assert found[Answer.HURTS] <= 0.05 + 0.022


def test_three_points_are_mostly_found() -> None:
    found = answers(500, "mixed", 0.03, 150, seed=2)
    assert found[Answer.HELPS] >= 0.8
    assert found[Answer.HURTS] == 0


def test_looking_as_usual_would_be_wrong_much_more_often() -> None:
    """What the rule is for: the 90 % interval at each of 28 looks."""
    random, wrong = np.random.default_rng(4), 0
    for _ in range(100):
        values, _ = differences(Design(188, PLANNED, folds=10), TRUTHS["chance"], random, 0.0)
        looks = (paired_graphs(values[:runs], range(runs)) for runs in range(3, PLANNED + 1))
        wrong += any(each.narrow_low > 0 for each in looks)
    assert wrong >= 15


@pytest.mark.slow
@pytest.mark.parametrize(("graphs", "truth"), [(150, "mixed"), (300, "splits differ")])
def test_wrong_answers_over_whole_courses(graphs: int, truth: str) -> None:
    """5 % at most, give or take 2.5 standard errors of 400 courses; of a true difference of the
    margin, too.
    """
    found = answers(graphs, truth, 0.0, 400, seed=5)
    assert max(found[Answer.HELPS], found[Answer.HURTS]) <= 0.05 + 0.027
    found = answers(graphs, truth, POINTS, 400, seed=6)
    assert max(found[Answer.NO_LARGER], found[Answer.HURTS]) <= 0.05 + 0.027


@pytest.mark.slow
@pytest.mark.parametrize(("graphs", "truth"), [(400, "mixed"), (700, "graphs differ")])
def test_power(graphs: int, truth: str) -> None:
    assert answers(graphs, truth, 0.03, 200, seed=7)[Answer.HELPS] >= 0.8
