"""Stars bound the distance from below."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from smixup.edits.bipartite import match_stars, star_costs
from smixup.edits.edit_costs import EDGES_ONLY, METRIC
from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import WeightedGraph


def test_a_star_is_matched_in_the_cheapest_way() -> None:
    random = np.random.default_rng(0)
    one, other = random.random((4, 4)), random.random((4, 4))
    for i in range(4):
        for k in range(4):
            ways = [
                np.abs(one[i] - other[k, list(order)]).sum() for order in permutations(range(4))
            ]
            assert star_costs(one, other)[i, k] == pytest.approx(min(ways))


def test_by_hand() -> None:
    path = WeightedGraph.of([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    triangle = WeightedGraph.of(np.ones((3, 3)) - np.eye(3))
    problem = EditProblem.of(path, triangle, EDGES_ONLY)
    found = match_stars(problem)
    assert found.bound == pytest.approx(1.0)  # two ends lack an edge, half of it each
    assert problem.cost(found.order) == pytest.approx(1.0)


def test_isomorphic_graphs_are_at_zero(random_graph: Callable[..., WeightedGraph]) -> None:
    graph = random_graph(6, np.random.default_rng(1))
    order = np.random.default_rng(2).permutation(6)
    shuffled = WeightedGraph.of(graph.adj[np.ix_(order, order)], graph.x[order])
    assert match_stars(EditProblem.of(graph, shuffled, METRIC)).bound == pytest.approx(0.0)
