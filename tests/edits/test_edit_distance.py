"""The distance equals networkx and the definition, lies between its bounds, and says what it is."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.edits.bipartite import match_stars
from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.edits.edit_distance import EditSolver, edit_distance
from smixup.edits.edit_problem import EditProblem
from smixup.edits.frank_wolfe import FrankWolfe
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import UsageError

RandomGraph = Callable[..., WeightedGraph]
BY_PROGRAM = EditSolver(enumerated=0, seconds=60)
BOUNDS_ONLY = EditSolver(enumerated=0, exact_nodes=0)


@pytest.mark.parametrize(
    "solver", [EditSolver(), BY_PROGRAM], ids=["enumeration", "integer program"]
)
@pytest.mark.parametrize("costs", [AS_PRINTED, METRIC], ids=["squared", "metric"])
def test_equals_networkx(
    random_graph: RandomGraph,
    networkx_distance: Callable[..., float],
    costs: EditCosts,
    solver: EditSolver,
) -> None:
    """Features are positive: networkx misses paths that delete one node and insert another at the
    same time.
    """
    random = np.random.default_rng(5)
    for _ in range(20):
        left, right = (random_graph(int(random.integers(1, 7)), random, 0.4, 0.1) for _ in range(2))
        found = edit_distance(left, right, costs, solver=solver)
        assert found.exact
        assert found.value == pytest.approx(networkx_distance(left, right, costs), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 5),
    st.integers(0, 4),
    st.sampled_from([AS_PRINTED, METRIC, EDGES_ONLY]),
)
def test_between_the_bounds(
    random_graph: RandomGraph,
    slow_distance: Callable[..., float],
    seed: int,
    n1: int,
    n2: int,
    costs: EditCosts,
) -> None:
    random = np.random.default_rng(seed)
    left, right = (random_graph(n, random, random.random()) for n in (n1, n2))
    truth = slow_distance(left, right, costs)
    bounded, exact = (
        edit_distance(left, right, costs, solver=solver) for solver in (BOUNDS_ONLY, EditSolver())
    )
    assert bounded.lower - 1e-9 <= truth <= bounded.upper + 1e-9
    assert exact.exact
    assert exact.lower == exact.upper == pytest.approx(truth, abs=2e-6)
    problem = EditProblem.of(left, right, costs)
    assert (
        problem.cost(problem.order_of(exact.node_map)) <= exact.value + 1e-9
        or not problem.keeps_all
    )


def test_a_distance_is_symmetric_and_obeys_the_triangle_inequality_for_metric_costs(
    random_graph: RandomGraph,
) -> None:
    random = np.random.default_rng(6)
    for _ in range(10):
        a, b, c = (random_graph(int(random.integers(1, 6)), random) for _ in range(3))
        for costs in (METRIC, EDGES_ONLY, EditCosts(0.5)):
            ab, ba, bc, ac = (
                edit_distance(*pair, costs).value for pair in ((a, b), (b, a), (b, c), (a, c))
            )
            assert ab == pytest.approx(ba, abs=1e-6)
            assert ac <= ab + bc + 1e-6


def test_squared_costs_break_the_triangle_inequality() -> None:
    at = [WeightedGraph.of([[0.0]], [[place]]) for place in (1.0, 2.0, 3.0)]
    one, other, far = (
        edit_distance(at[i], at[j], AS_PRINTED).value for i, j in ((0, 1), (1, 2), (0, 2))
    )
    assert (one, other, far) == (1.0, 1.0, 4.0)


def test_deleting_and_inserting_may_be_cheaper_than_substituting() -> None:
    left, right = (WeightedGraph.of([[0.0]], [[place]]) for place in (1.0, -1.0))
    found = edit_distance(left, right, AS_PRINTED)
    assert (found.value, found.node_map, found.exact) == (2.0, (-1,), True)
    assert edit_distance(left, right, METRIC).node_map == (0,)


def test_an_alignment_is_never_beaten_upwards(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(7)
    graph = random_graph(20, random)
    order = random.permutation(20)
    shuffled = WeightedGraph.of(graph.adj[np.ix_(order, order)], graph.x[order])
    hard = EditSolver(search=FrankWolfe(starts=0, steps=1), enumerated=0, exact_nodes=0)
    found = edit_distance(graph, shuffled, METRIC, [np.argsort(order).tolist()], hard)
    assert found.value == pytest.approx(0.0)
    assert found.exact


def test_twenty_nodes_are_bounded_in_half_a_second(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(8)
    left, right = random_graph(20, random, 0.2), random_graph(20, random, 0.2)
    edit_distance(left, right)
    started = time.process_time()
    found = edit_distance(left, right)
    assert time.process_time() - started < 0.5
    assert 0 < found.lower < found.upper
    assert not found.exact
    assert found.gap == pytest.approx(1 - found.lower / found.upper)


def test_without_time_the_bounds_remain(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(9)
    left, right = random_graph(8, random, 0.9), random_graph(8, random, 0.9)
    hurried = edit_distance(left, right, EDGES_ONLY, solver=EditSolver(enumerated=0, seconds=0))
    patient = edit_distance(left, right, EDGES_ONLY)
    assert hurried.lower <= patient.value <= hurried.upper
    assert patient.exact
    assert not hurried.exact
    assert hurried.lower >= match_stars(EditProblem.of(left, right, EDGES_ONLY)).bound


def test_effort_only_tightens(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(10)
    left, right = random_graph(9, random, 0.6), random_graph(10, random, 0.6)
    stars, ascent, truth = (
        edit_distance(left, right, EDGES_ONLY, solver=solver)
        for solver in (EditSolver(enumerated=0, exact_nodes=0, rounds=0), BOUNDS_ONLY, EditSolver())
    )
    assert stars.lower < ascent.lower < truth.value <= ascent.upper
    assert truth.exact


def test_graphs_without_nodes() -> None:
    nothing, edge = WeightedGraph.of(np.zeros((0, 0))), WeightedGraph.of([[0, 2], [2, 1]])
    assert edit_distance(nothing, nothing).value == 0
    found = edit_distance(edge, nothing)
    assert (found.value, found.exact, found.node_map) == (3.0, True, (-1, -1))


def test_wrong_settings_are_errors() -> None:
    with pytest.raises(UsageError, match="exact_nodes must be 0 or more, not -1"):
        EditSolver(exact_nodes=-1)
