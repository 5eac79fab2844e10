"""The search is guided by the right quadratic form and comes close to the optimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.edits.bipartite import match_stars
from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC
from smixup.edits.edit_distance import edit_distance
from smixup.edits.edit_problem import EditProblem
from smixup.edits.frank_wolfe import FrankWolfe, layers
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import UsageError

RandomGraph = Callable[..., WeightedGraph]


@pytest.mark.parametrize("sizes", [(5, 4), (3, 6)])
def test_layers_make_the_cost_of_edges_quadratic(
    random_graph: RandomGraph, sizes: tuple[int, int]
) -> None:
    random = np.random.default_rng(0)
    problem = EditProblem.of(*(random_graph(n, random) for n in sizes), AS_PRINTED)
    A, B = layers(problem, levels=100)
    order = random.permutation(problem.size)
    P = np.eye(problem.size)[order]
    total = (problem.adj1.sum() + problem.adj2.sum()) / 2
    quadratic = (problem.nodes * P).sum() + total - np.einsum("kij,jm,kmn,in->", A, P, B, P)
    assert quadratic == pytest.approx(problem.cost(order))


def test_within_five_percent_of_the_optimum_with_nine_nodes(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(1)
    excess = []
    for trial in range(15):
        left, right = random_graph(9, random, 0.4), random_graph(9 - trial % 3, random, 0.4)
        costs = (AS_PRINTED, METRIC, EDGES_ONLY)[trial % 3]
        problem = EditProblem.of(left, right, costs)
        found = problem.cost(FrankWolfe().search(problem, [match_stars(problem).order]))
        optimum = edit_distance(left, right, costs)
        assert optimum.exact
        assert found >= optimum.upper - 1e-9
        excess.append(found / optimum.upper - 1)
    assert np.mean(excess) < 0.01


def test_never_dearer_than_a_given_order_and_stops_when_it_is_enough(
    random_graph: RandomGraph,
) -> None:
    random = np.random.default_rng(2)
    graph = random_graph(12, random)
    order = random.permutation(12)
    shuffled = WeightedGraph.of(graph.adj[np.ix_(order, order)], graph.x[order])
    problem = EditProblem.of(graph, shuffled, METRIC)
    right_one = np.argsort(order)
    assert problem.cost(right_one) == pytest.approx(0.0)
    assert FrankWolfe(starts=0, steps=1).search(problem, [right_one]).tolist() == right_one.tolist()
    given = np.arange(12)
    assert problem.cost(
        FrankWolfe(starts=0).search(problem, [given], enough=np.inf)
    ) <= problem.cost(given)


def test_the_same_every_time(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(3)
    problem = EditProblem.of(random_graph(8, random), random_graph(7, random), AS_PRINTED)
    assert FrankWolfe().search(problem).tolist() == FrankWolfe().search(problem).tolist()


def test_wrong_settings_are_errors() -> None:
    with pytest.raises(UsageError, match="steps must be 1 or more, not 0"):
        FrankWolfe(steps=0)
    with pytest.raises(UsageError, match="starts must be 0 or more"):
        FrankWolfe(starts=-1)
