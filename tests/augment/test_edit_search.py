"""Costs are those of Def. 1; stars bound a distance from below, and a search comes close to it."""

from __future__ import annotations

import numpy as np
import pytest
from edited_graphs import by_recursion, distance, draw, graph_of, plain

from smixup.augment.edit_search import (
    EditProblem,
    WeightedGraph,
    improve,
    layers,
    match_stars,
    shortest_path,
)

COUNTED, METRIC, PRINTED = 0.0, 1.0, 2.0
TRIANGLE = graph_of([[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]], [[1], [2], [3]])
EDGE = graph_of([[0, 2], [2, 0]], [[2], [2]])
LEFT = graph_of([[0.5, 1], [1, 0]], [[3, 4], [0, 1]])
RIGHT = graph_of([[2.0]], [[0, 0]])


def drawn(*sizes: int, seed: int = 0, density: float = 0.5) -> list[WeightedGraph]:
    random = np.random.default_rng(seed)
    return [draw(n, random, density) for n in sizes]


def shuffled(graph: WeightedGraph) -> WeightedGraph:
    """The same graph, with its nodes in another order."""
    order = np.random.default_rng(2).permutation(len(graph))
    return WeightedGraph(graph.adj[np.ix_(order, order)], graph.x[order])


@pytest.mark.parametrize(
    ("exponent", "change", "removal"),
    [
        (PRINTED, [[25 + 1.5], [1 + 2]], [25.5, 1]),
        (METRIC, [[5 + 1.5], [1 + 2]], [5.5, 1]),
        (COUNTED, [[1 + 1.5], [1 + 2]], [1.5, 1]),
    ],
)
def test_costs_by_hand(exponent: float, change: list[list[float]], removal: list[float]) -> None:
    nodes = EditProblem.of(LEFT, RIGHT, exponent).nodes
    assert np.allclose(nodes[:2, :1], change)
    assert nodes[:2, 1].tolist() == pytest.approx(removal)
    twice = graph_of(np.zeros((2, 2)), [[3, 4], [0, 0]])
    nodes = EditProblem.of(LEFT, twice, COUNTED).nodes
    assert nodes.tolist() == [[0.5, 1.5], [1, 1]], "a node without features is nothing"


def test_an_edit_path_is_an_order_of_nodes_empty_ones_among_them() -> None:
    problem = EditProblem.of(TRIANGLE, EDGE, PRINTED)
    assert problem.size == 3
    # node 0 -> 0: 1, node 1 -> 1: 0, node 2 deleted: 9; edge 01 from 1 to 2: 1;
    # edges 02 and 12 deleted: 1.5
    assert problem.cost(np.array([0, 1, 2])) == pytest.approx(12.5)
    assert problem.node_map(np.array([2, 0, 1])).tolist() == [-1, 0, 1]
    one, opposite = (graph_of([[0.0]], [[place]]) for place in (1, -1))
    for exponent, size, cost, partner in ((PRINTED, 2, 2.0, -1), (METRIC, 1, 2.0, 0)):
        problem = EditProblem.of(one, opposite, exponent)
        assert problem.size == size, "room to delete and insert only where it pays"
        order = shortest_path(problem)
        assert (problem.cost(order), problem.node_map(order).tolist()) == (cost, [partner])
    nothing = graph_of(np.zeros((0, 0)))
    assert distance(nothing, nothing, METRIC) == 0
    assert distance(graph_of([[0, 2], [2, 1]]), nothing, METRIC) == 3


def test_stars_bound_the_distance_from_below() -> None:
    path = graph_of([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    problem = EditProblem.of(path, graph_of(np.ones((3, 3)) - np.eye(3)), METRIC)
    bound, order = match_stars(problem)
    assert bound == pytest.approx(1.0)  # two ends lack an edge, half of it each
    assert problem.cost(order) == pytest.approx(1.0)
    (graph,) = drawn(6)
    same = EditProblem.of(graph, shuffled(graph), METRIC)
    assert match_stars(same)[0] == pytest.approx(0.0)


@pytest.mark.parametrize("exponent", [PRINTED, METRIC, None, 3.0])
@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (5, 3), (1, 1), (0, 2)])
def test_small_graphs_have_the_distance_of_the_definition(
    exponent: float | None, sizes: tuple[int, int]
) -> None:
    for seed in range(5):
        pair = [graph if exponent else plain(graph) for graph in drawn(*sizes, seed=seed)]
        optimum = by_recursion(*pair, exponent or METRIC)
        assert distance(*pair, exponent or METRIC) == pytest.approx(optimum)
        assert match_stars(EditProblem.of(*pair, exponent or METRIC))[0] <= optimum + 1e-9


def test_costs_that_are_norms_give_a_metric() -> None:
    for exponent in (METRIC, 0.5):
        a, b, c = drawn(4, 2, 5, seed=6)
        ab, ba, bc, ac = (distance(*pair, exponent) for pair in ((a, b), (b, a), (b, c), (a, c)))
        assert ab == pytest.approx(ba, abs=1e-6)
        assert ac <= ab + bc + 1e-6
    at = [graph_of([[0.0]], [[place]]) for place in (1.0, 2.0, 3.0)]
    assert [distance(at[0], at[k], PRINTED) for k in (1, 2)] == [1.0, 4.0]


@pytest.mark.parametrize("sizes", [(5, 4), (3, 6)])
def test_costs_of_edges_are_quadratic_and_no_swap_is_cheaper_at_the_end(
    sizes: tuple[int, int],
) -> None:
    problem, random = EditProblem.of(*drawn(*sizes), PRINTED), np.random.default_rng(0)
    A, B = layers(problem, levels=100)
    order = random.permutation(problem.size)
    P = np.eye(problem.size)[order]
    total = (problem.adj1.sum() + problem.adj2.sum()) / 2
    quadratic = (problem.nodes * P).sum() + total - np.einsum("kij,jm,kmn,in->", A, P, B, P)
    assert quadratic == pytest.approx(problem.cost(order))
    before, better = order.copy(), improve(problem, order)
    assert order.tolist() == before.tolist()
    for r, s in np.ndindex(problem.nodes.shape):
        swapped = better.copy()
        swapped[[r, s]] = better[[s, r]]
        assert problem.cost(better) <= problem.cost(swapped) + 1e-8


def test_few_starts_come_close_to_many() -> None:
    excess = []
    for trial in range(9):
        pair = drawn(8, 8 - trial % 3, seed=trial, density=0.4)
        pair = [plain(graph) if trial % 3 == 2 else graph for graph in pair]
        problem = EditProblem.of(*pair, (PRINTED, METRIC, METRIC)[trial % 3])
        few, many = (problem.cost(shortest_path(problem, starts)) for starts in (4, 100))
        assert few >= many
        excess.append(few / many - 1)
    assert np.mean(excess) < 0.01


def test_large_graphs_are_searched_the_same_way_each_time() -> None:
    (graph,) = drawn(20, seed=7)
    problem = EditProblem.of(graph, shuffled(graph), METRIC)
    assert problem.cost(shortest_path(problem)) == pytest.approx(0.0)
    problem = EditProblem.of(*drawn(20, 20, seed=8, density=0.2), PRINTED)
    assert shortest_path(problem).tolist() == shortest_path(problem).tolist()
