"""Costs are those of Def. 1; stars bound a distance from below, a search comes close to it, and
enumeration finds it.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from edited_graphs import by_recursion, draw

from smixup.edits.enumeration import enumerate_orders
from smixup.edits.problem import (
    AS_PRINTED,
    EDGES_ONLY,
    METRIC,
    UNIT,
    EditCosts,
    EditProblem,
    WeightedGraph,
)
from smixup.edits.search import (
    edit_distance,
    improve,
    layers,
    match_stars,
    search,
    star_costs,
    swap_gains,
)
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs

TRIANGLE = WeightedGraph.of([[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]], [[1], [2], [3]])
EDGE = WeightedGraph.of([[0, 2], [2, 0]], [[2], [2]])
LEFT = WeightedGraph.of([[0.5, 1], [1, 0]], [[3, 4], [0, 1]])
RIGHT = WeightedGraph.of([[2.0]], [[0, 0]])


def drawn(*sizes: int, seed: int = 0, density: float = 0.5) -> list[WeightedGraph]:
    random = np.random.default_rng(seed)
    return [draw(n, random, density) for n in sizes]


def shuffled(graph: WeightedGraph, seed: int = 2) -> tuple[WeightedGraph, np.ndarray]:
    """The same graph, and the order of its nodes that says so."""
    order = np.random.default_rng(seed).permutation(len(graph))
    copy = WeightedGraph.of(graph.adj[np.ix_(order, order)], graph.x[order])
    return copy, np.argsort(order)


@pytest.mark.parametrize(
    ("costs", "change", "removal"),
    [
        (AS_PRINTED, [[25 + 1.5], [1 + 2]], [25.5, 1]),
        (METRIC, [[5 + 1.5], [1 + 2]], [5.5, 1]),
        (EDGES_ONLY, [[1.5], [2]], [0.5, 0]),
        (UNIT, [[1 + 1.5], [1 + 2]], [1.5, 1]),
        (EditCosts(1.0, 0.1), [[0.5 + 1.5], [0.1 + 2]], [1.0, 0.1]),
    ],
)
def test_costs_by_hand(costs: EditCosts, change: list[list[float]], removal: list[float]) -> None:
    assert np.allclose(costs.substitution(LEFT, RIGHT), change)
    assert costs.removal(LEFT).tolist() == pytest.approx(removal)
    twice = WeightedGraph.of(np.zeros((2, 2)), [[3, 4], [0, 0]])
    assert UNIT.substitution(LEFT, twice).tolist() == [[0.5, 1.5], [1, 1]]
    assert UNIT.removal(twice).tolist() == [1, 0], "a node without features is nothing"


def test_an_edit_path_is_an_order_of_nodes_empty_ones_among_them() -> None:
    problem = EditProblem.of(TRIANGLE, EDGE, AS_PRINTED)
    assert problem.size == 3
    # node 0 -> 0: 1, node 1 -> 1: 0, node 2 deleted: 9; edge 01 from 1 to 2: 1;
    # edges 02 and 12 deleted: 1.5
    assert problem.cost(np.array([0, 1, 2])) == pytest.approx(12.5)
    assert problem.cost(problem.order_of([0, 1, -1])) == pytest.approx(12.5)
    assert problem.node_map(np.array([2, 0, 1])) == (-1, 0, 1)
    one, opposite = (WeightedGraph.of([[0.0]], [[place]]) for place in (1, -1))
    sizes = [EditProblem.of(one, opposite, costs).size for costs in (AS_PRINTED, METRIC)]
    assert sizes == [2, 1], "room to delete and insert only where it pays"
    problem = EditProblem.of(EDGE, TRIANGLE, METRIC)
    for node_map in ([2, 0], [-1, 1], [1, -1], [-1, -1]):
        partners = problem.node_map(problem.order_of(node_map))
        assert all(wish in (-1, got) for wish, got in zip(node_map, partners, strict=True))


def test_stars_bound_the_distance_from_below() -> None:
    random = np.random.default_rng(0)
    one, other = random.random((4, 4)), random.random((4, 4))
    for i, k in np.ndindex(4, 4):
        ways = [np.abs(one[i] - other[k, list(order)]).sum() for order in permutations(range(4))]
        assert star_costs(one, other)[i, k] == pytest.approx(min(ways))
    path = WeightedGraph.of([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    problem = EditProblem.of(path, WeightedGraph.of(np.ones((3, 3)) - np.eye(3)), EDGES_ONLY)
    bound, order = match_stars(problem)
    assert bound == pytest.approx(1.0)  # two ends lack an edge, half of it each
    assert problem.cost(order) == pytest.approx(1.0)
    (graph,) = drawn(6)
    same = EditProblem.of(graph, shuffled(graph)[0], METRIC)
    assert match_stars(same)[0] == pytest.approx(0.0)


@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC, EDGES_ONLY, EditCosts(3.0, 0.3)])
@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (5, 3), (1, 1)])
def test_enumeration_finds_what_the_definition_finds(
    costs: EditCosts, sizes: tuple[int, int]
) -> None:
    for seed in range(3):
        pair = drawn(*sizes, seed=seed)
        problem, optimum = EditProblem.of(*pair, costs), by_recursion(*pair, costs)
        order, complete = enumerate_orders(problem, np.inf, 10**7)
        assert complete and order is not None
        assert problem.cost(order) == pytest.approx(optimum)
        assert match_stars(problem)[0] <= optimum + 1e-9
        assert enumerate_orders(problem, optimum, 10**7)[0] is None
        assert enumerate_orders(problem, optimum + 1e-3, 10**7)[0] is not None
    gave_up = enumerate_orders(EditProblem.of(*drawn(7, 7), METRIC), np.inf, 1000)
    assert gave_up == (None, False)


@pytest.mark.parametrize("sizes", [(5, 4), (3, 6)])
def test_costs_of_edges_are_quadratic_and_gains_of_swaps_differences(
    sizes: tuple[int, int],
) -> None:
    problem, random = EditProblem.of(*drawn(*sizes), AS_PRINTED), np.random.default_rng(0)
    A, B = layers(problem, levels=100)
    order = random.permutation(problem.size)
    P = np.eye(problem.size)[order]
    total = (problem.adj1.sum() + problem.adj2.sum()) / 2
    quadratic = (problem.nodes * P).sum() + total - np.einsum("kij,jm,kmn,in->", A, P, B, P)
    assert quadratic == pytest.approx(problem.cost(order))
    gains = swap_gains(problem, order)
    for r, s in np.ndindex(gains.shape):
        swapped = order.copy()
        swapped[[r, s]] = order[[s, r]]
        assert gains[r, s] == pytest.approx(problem.cost(order) - problem.cost(swapped))
    before = order.copy()
    better = improve(problem, order)
    assert problem.cost(better) <= problem.cost(order)
    assert swap_gains(problem, better).max() < 1e-8
    assert order.tolist() == before.tolist()


def test_the_search_comes_close_to_the_optimum() -> None:
    excess = []
    for trial in range(9):
        pair = drawn(8, 8 - trial % 3, seed=trial, density=0.4)
        costs = (AS_PRINTED, METRIC, EDGES_ONLY)[trial % 3]
        problem = EditProblem.of(*pair, costs)
        cost = problem.cost(search(problem, [match_stars(problem)[1]]))
        optimum = edit_distance(*pair, costs)
        assert optimum.exact and cost >= optimum.upper - 1e-9
        excess.append(cost / optimum.upper - 1)
    assert np.mean(excess) < 0.01
    (graph,) = drawn(12)
    copy, known = shuffled(graph)
    problem, order = EditProblem.of(graph, copy, METRIC), np.arange(12)
    assert search(problem, [known], starts=0).tolist() == known.tolist()
    enough = search(problem, [order], starts=0, enough=np.inf)
    assert problem.cost(enough) <= problem.cost(order)
    assert search(problem).tolist() == search(problem).tolist()


def test_graphs_come_from_batches(graphs: Graphs) -> None:
    graph = WeightedGraph.from_batch(graphs[[4]])
    assert len(graph) == 9 and np.allclose(graph.adj, graphs[[4]].adj.to_dense().numpy())
    assert np.allclose(graph.x, graphs[[4]].x.numpy())


def test_what_has_no_edit_distance_is_refused() -> None:
    alignment = EditProblem.of(EDGE, TRIANGLE, METRIC).order_of
    cases = [
        (lambda: EditCosts(exponent=-1), "exponent must be 0 or more"),
        (lambda: EditCosts(node_weight=-1), "node_weight must be 0 or more"),
        (lambda: WeightedGraph.of([[0, 1], [0, 0]]), "not symmetric"),
        (lambda: WeightedGraph.of([[0, -1], [-1, 0]]), "not negative"),
        (lambda: WeightedGraph.of([[0, np.nan], [np.nan, 0]]), "finite"),
    ]
    other_node = "an alignment names a different node"
    for wrong in ([0], [0, 0], [0, 3], [-2, 1]):
        cases.append((lambda wrong=wrong: alignment(wrong), other_node))
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
    assert issubclass(UsageError, SmixupError)
