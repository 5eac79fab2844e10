"""The integer program is the definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.analysis.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.analysis.edit_problem import EditProblem
from smixup.analysis.exact import solve
from smixup.analysis.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]
SECONDS = 60.0


@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC, EDGES_ONLY, EditCosts(3.0, 0.3)])
@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (5, 3), (1, 1)])
def test_against_the_definition(
    random_graph: RandomGraph,
    slow_distance: Callable[..., float],
    costs: EditCosts,
    sizes: tuple[int, int],
) -> None:
    random = np.random.default_rng(sum(sizes))
    for _ in range(3):
        left, right = (random_graph(n, random) for n in sizes)
        problem = EditProblem.of(left, right, costs)
        proof = solve(problem, problem.cost(np.arange(problem.size)), SECONDS)
        assert proof.optimal
        assert proof.order is not None
        assert problem.cost(proof.order) == pytest.approx(
            slow_distance(left, right, costs), abs=1e-6
        )
        assert proof.lower == pytest.approx(problem.cost(proof.order), abs=1e-5)


def test_graphs_without_edges(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(0)
    bare = WeightedGraph.of(np.zeros((3, 3)), random.random((3, 2)))
    problem = EditProblem.of(bare, random_graph(2, random, 0.0), METRIC)
    proof = solve(problem, problem.cost(np.arange(3)), SECONDS)
    assert proof.optimal
    assert proof.order is not None


def test_no_time_is_no_proof(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(1)
    problem = EditProblem.of(
        random_graph(10, random, 0.9), random_graph(10, random, 0.9), EDGES_ONLY
    )
    assert not solve(problem, problem.cost(np.arange(10)), 0.0).optimal
