"""Enumeration finds what the definition finds, or says that it gave up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.analysis.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.analysis.edit_problem import EditProblem
from smixup.analysis.enumeration import enumerate_orders
from smixup.analysis.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]


@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC, EDGES_ONLY, EditCosts(3.0, 0.3)])
@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (5, 3), (1, 1)])
def test_against_the_definition(
    random_graph: RandomGraph,
    slow_distance: Callable[..., float],
    costs: EditCosts,
    sizes: tuple[int, int],
) -> None:
    random = np.random.default_rng(sum(sizes) + 100)
    for _ in range(5):
        left, right = (random_graph(n, random) for n in sizes)
        problem = EditProblem.of(left, right, costs)
        found = enumerate_orders(problem, np.inf, 10**7)
        assert found.complete
        assert found.order is not None
        optimum = slow_distance(left, right, costs)
        assert problem.cost(found.order) == pytest.approx(optimum)
        assert enumerate_orders(problem, optimum, 10**7).order is None
        assert enumerate_orders(problem, optimum + 1e-3, 10**7).order is not None


def test_gives_up_beyond_the_limit(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(0)
    problem = EditProblem.of(random_graph(7, random), random_graph(7, random), METRIC)
    found = enumerate_orders(problem, np.inf, 1000)
    assert (found.complete, found.order) == (False, None)
