"""An edit path is an order of nodes, empty ones among them."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.edits.edit_costs import AS_PRINTED, METRIC
from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import SmixupError

TRIANGLE = WeightedGraph.of([[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]], [[1], [2], [3]])
EDGE = WeightedGraph.of([[0, 2], [2, 0]], [[2], [2]])
OPPOSITE = WeightedGraph.of([[0.0]], [[-1]])


def test_cost_by_hand() -> None:
    problem = EditProblem.of(TRIANGLE, EDGE, AS_PRINTED)
    assert (problem.size, problem.keeps_all) == (3, True)
    # node 0 -> 0: 1, node 1 -> 1: 0, node 2 deleted: 9; edge 01 from 1 to 2: 1;
    # edges 02 and 12 deleted: 1.5
    assert problem.cost(np.array([0, 1, 2])) == pytest.approx(12.5)
    assert problem.cost(problem.order_of([0, 1, -1])) == pytest.approx(12.5)
    assert problem.node_map(np.array([2, 0, 1])) == (-1, 0, 1)


def test_room_to_delete_and_insert_only_where_it_pays() -> None:
    one = WeightedGraph.of([[0.0]], [[1]])
    assert EditProblem.of(one, OPPOSITE, AS_PRINTED).size == 2
    assert EditProblem.of(one, OPPOSITE, METRIC).size == 1


def test_an_alignment_keeps_its_partners() -> None:
    problem = EditProblem.of(EDGE, TRIANGLE, METRIC)
    for node_map in ([2, 0], [-1, 1], [1, -1], [-1, -1]):
        found = problem.node_map(problem.order_of(node_map))
        assert all(wish in (-1, got) for wish, got in zip(node_map, found, strict=True))


@pytest.mark.parametrize("node_map", [[0], [0, 0], [0, 3], [-2, 1]])
def test_what_is_no_alignment_is_an_error(node_map: list[int]) -> None:
    with pytest.raises(SmixupError, match="an alignment names a different node"):
        EditProblem.of(EDGE, TRIANGLE, METRIC).order_of(node_map)
