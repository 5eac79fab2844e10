"""The distance equals networkx and the definition, lies between its bounds, and says what it is."""

from __future__ import annotations

import numpy as np
import pytest
from edited_graphs import by_networkx, by_recursion, draw
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.edits.problem import (
    AS_PRINTED,
    EDGES_ONLY,
    METRIC,
    EditCosts,
    EditProblem,
    WeightedGraph,
)
from smixup.edits.search import edit_distance


@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC], ids=["squared", "metric"])
def test_equals_networkx(costs: EditCosts) -> None:
    """Features are positive: networkx misses paths that delete one node and insert another at the
    same time.
    """
    random = np.random.default_rng(5)
    for _ in range(12):
        left, right = (draw(int(random.integers(1, 7)), random, 0.4, 0.1) for _ in range(2))
        distance = edit_distance(left, right, costs)
        assert distance.exact
        assert distance.upper == pytest.approx(by_networkx(left, right, costs), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 5),
    st.integers(0, 4),
    st.sampled_from([AS_PRINTED, METRIC, EDGES_ONLY]),
)
def test_between_the_bounds(seed: int, n1: int, n2: int, costs: EditCosts) -> None:
    random = np.random.default_rng(seed)
    left, right = (draw(n, random, random.random()) for n in (n1, n2))
    truth = by_recursion(left, right, costs)
    bounded, exact = (edit_distance(left, right, costs, enumerated=n) for n in (0, 10**7))
    assert bounded.lower - 1e-9 <= truth <= bounded.upper + 1e-9
    assert exact.exact
    assert exact.upper == pytest.approx(truth, abs=2e-6)
    problem = EditProblem.of(left, right, costs)
    cost = problem.cost(problem.order_of(exact.node_map))
    assert cost <= exact.upper + 1e-9 or problem.size > max(problem.n1, problem.n2)


def test_metric_costs_give_a_metric() -> None:
    random = np.random.default_rng(6)
    for costs in (METRIC, EDGES_ONLY, EditCosts(0.5)):
        a, b, c = (draw(int(random.integers(1, 6)), random) for _ in range(3))
        ab, ba, bc, ac = (
            edit_distance(*pair, costs).upper for pair in ((a, b), (b, a), (b, c), (a, c))
        )
        assert ab == pytest.approx(ba, abs=1e-6)
        assert ac <= ab + bc + 1e-6
    at = [WeightedGraph.of([[0.0]], [[place]]) for place in (1.0, 2.0, 3.0)]
    squared = [edit_distance(at[i], at[j]).upper for i, j in ((0, 1), (1, 2), (0, 2))]
    assert squared == [1.0, 1.0, 4.0]


def test_deleting_and_inserting_may_be_cheaper_than_substituting() -> None:
    left, right = (WeightedGraph.of([[0.0]], [[place]]) for place in (1.0, -1.0))
    distance = edit_distance(left, right)
    assert (distance.upper, distance.node_map, distance.exact) == (2.0, (-1,), True)
    assert edit_distance(left, right, METRIC).node_map == (0,)


def test_never_more_than_a_given_alignment_costs() -> None:
    random = np.random.default_rng(7)
    graph, order = draw(20, random), random.permutation(20)
    shuffled = WeightedGraph.of(graph.adj[np.ix_(order, order)], graph.x[order])
    known = [np.argsort(order).tolist()]
    distance = edit_distance(graph, shuffled, METRIC, known, starts=0, enumerated=0)
    assert distance.upper == pytest.approx(0.0)
    assert distance.exact


def test_large_graphs_are_bounded() -> None:
    random = np.random.default_rng(8)
    left, right = draw(20, random, 0.2), draw(20, random, 0.2)
    distance = edit_distance(left, right)
    assert 0 < distance.lower < distance.upper
    assert not distance.exact


def test_graphs_without_nodes() -> None:
    nothing, edge = WeightedGraph.of(np.zeros((0, 0))), WeightedGraph.of([[0, 2], [2, 1]])
    assert edit_distance(nothing, nothing).upper == 0
    distance = edit_distance(edge, nothing)
    assert (distance.upper, distance.exact, distance.node_map) == (3.0, True, (-1, -1))
