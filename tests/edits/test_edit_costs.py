"""Costs are those of Def. 1, with the exponent of the node costs to choose."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, UNIT, EditCosts
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import SmixupError, UsageError

LEFT = WeightedGraph.of([[0.5, 1], [1, 0]], [[3, 4], [0, 1]])
RIGHT = WeightedGraph.of([[2.0]], [[0, 0]])


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
def test_by_hand(costs: EditCosts, change: list[list[float]], removal: list[float]) -> None:
    assert np.allclose(costs.substitution(LEFT, RIGHT), change)
    assert costs.removal(LEFT).tolist() == pytest.approx(removal)


def test_which_costs_are_norms() -> None:
    assert [costs.is_norm for costs in (AS_PRINTED, METRIC, EDGES_ONLY, EditCosts(0.5))] == [
        False,
        True,
        True,
        False,
    ]


def test_features_of_two_widths_and_wrong_numbers_are_errors() -> None:
    with pytest.raises(SmixupError, match="one width, not 2 and 0"):
        AS_PRINTED.substitution(LEFT, WeightedGraph.of([[0.0]]))
    with pytest.raises(UsageError, match="exponent must be 0 or more"):
        EditCosts(exponent=-1)
    with pytest.raises(UsageError, match="node_weight must be 0 or more"):
        EditCosts(node_weight=-1)


def test_counting_nodes_tells_the_same_from_others() -> None:
    twice = WeightedGraph.of(np.zeros((2, 2)), [[3, 4], [0, 0]])
    assert UNIT.substitution(LEFT, twice).tolist() == [[0.5, 1.5], [1, 1]]
    assert UNIT.removal(twice).tolist() == [1, 0], "a node without features is nothing"
