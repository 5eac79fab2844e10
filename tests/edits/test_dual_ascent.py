"""Dual ascent begins at the stars, rises, and never passes the distance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from smixup.edits.bipartite import match_stars
from smixup.edits.dual_ascent import ascend, reduced
from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]


@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC, EDGES_ONLY])
def test_between_the_stars_and_the_distance(
    random_graph: RandomGraph, slow_distance: Callable[..., float], costs: EditCosts
) -> None:
    random = np.random.default_rng(0)
    for _ in range(10):
        left, right = (random_graph(int(random.integers(1, 6)), random) for _ in range(2))
        problem = EditProblem.of(left, right, costs)
        bounds = [ascend(problem, rounds) for rounds in (1, 4, 40)]
        assert bounds == sorted(bounds)
        assert bounds[0] == pytest.approx(match_stars(problem).bound, abs=1e-6)
        assert bounds[-1] <= slow_distance(left, right, costs) + 1e-9


def test_often_closes_the_gap(
    random_graph: RandomGraph, slow_distance: Callable[..., float]
) -> None:
    random = np.random.default_rng(1)
    pairs = [(random_graph(5, random), random_graph(5, random)) for _ in range(10)]
    truth = sum(slow_distance(*pair, EDGES_ONLY) for pair in pairs)
    problems = [EditProblem.of(*pair, EDGES_ONLY) for pair in pairs]
    assert sum(ascend(problem, 40) for problem in problems) > 0.97 * truth
    assert sum(match_stars(problem).bound for problem in problems) < 0.9 * truth


def test_stops_when_it_is_enough(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(2)
    problem = EditProblem.of(random_graph(6, random), random_graph(6, random), EDGES_ONLY)
    assert ascend(problem, 30, enough=0.0) == ascend(problem, 1)
    assert ascend(problem, 0) == pytest.approx(0.0, abs=1e-6)


def test_reduced_costs_are_those_of_the_dual() -> None:
    costs = np.random.default_rng(3).random((7, 5, 5))
    rest, values = reduced(costs)
    assert rest.min() >= 0
    for cost, left, value in zip(costs, rest, values, strict=True):
        rows, columns = linear_sum_assignment(cost)
        assert value == pytest.approx(cost[rows, columns].sum())
        assert left[rows, columns] == pytest.approx(np.zeros(5))
        shift = cost - left  # a sum of a row's and a column's price, which add up to the value
        assert np.allclose(shift - shift[:1] - shift[:, :1] + shift[0, 0], 0)
        assert shift.diagonal().sum() == pytest.approx(value)
