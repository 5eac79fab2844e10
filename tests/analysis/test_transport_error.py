"""Fused Gromov-Wasserstein distances by hand and by the assignment problem."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from single_edges import edges, mixed

from smixup.analysis.mixes import Mixes
from smixup.analysis.parents import tagged
from smixup.analysis.transport_error import fused_distance, transport_error
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import UsageError

pytest.importorskip("ot")


@pytest.mark.parametrize(
    ("weight", "lam", "error", "detour"),
    [(0.75, 0.75, 0.0, 1.0), (1.0, 0.5, 0.5, 1.0), (2.0, 0.5, 1 / 6, 3.0)],
)
def test_an_edge_by_hand(weight: float, lam: float, error: float, detour: float) -> None:
    """Weights a and b are sqrt(alpha / 2) |a - b| apart, so all is as for edit distances."""
    found = transport_error(mixed(weight, lam))
    assert found is not None
    assert (found.error, found.detour) == pytest.approx((error, detour), abs=1e-6)
    assert found.pairs == 1


def test_the_distance_of_two_edges() -> None:
    left, right = (WeightedGraph.of([[0, w], [w, 0]], np.ones((2, 1))) for w in (1.0, 0.25))
    assert fused_distance(left, right, 0.5).distance == pytest.approx(0.75 * math.sqrt(0.5 / 2))


def test_features_alone_are_an_assignment_problem(
    random_graph: Callable[..., WeightedGraph],
) -> None:
    random = np.random.default_rng(0)
    left, right = random_graph(6, random), random_graph(6, random)
    cost = ((left.x[:, None] - right.x) ** 2).sum(2)
    least = cost[linear_sum_assignment(cost)].sum() / 6
    found = fused_distance(left, right, 0.0)
    assert found.distance == pytest.approx(math.sqrt(least), rel=1e-5)
    np.testing.assert_allclose(found.plan.sum(1), 1 / 6)


def test_a_start_only_helps(random_graph: Callable[..., WeightedGraph]) -> None:
    random = np.random.default_rng(1)
    graph = random_graph(9, random)
    order = random.permutation(9)
    shuffled = WeightedGraph(graph.adj[np.ix_(order, order)], graph.x[order])
    plan = np.eye(9)[order].T / 9
    assert fused_distance(graph, shuffled, 0.5, plan).distance == pytest.approx(0, abs=1e-4)


def test_nothing_to_measure_and_wrong_use() -> None:
    assert transport_error(Mixes(tagged(edges(1.0, 0.0)))) is None
    with pytest.raises(UsageError, match="structure_weight must be between 0 and 1, not 2"):
        transport_error(mixed(0.5, 0.5), 2)


def test_known_couplings_are_kept() -> None:
    known: dict = {}
    transport_error(mixed(0.5, 0.5), known=known)
    assert known[0, 1].distance == pytest.approx(0.5)
