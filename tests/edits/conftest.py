"""Random graphs, and two independent ways to their edit distance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from edited_graphs import by_networkx, by_recursion, draw

from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]
Distance = Callable[[WeightedGraph, WeightedGraph, EditCosts], float]


@pytest.fixture(scope="session")
def random_graph() -> RandomGraph:
    return draw


@pytest.fixture(scope="session")
def slow_distance() -> Distance:
    return by_recursion


@pytest.fixture(scope="session")
def networkx_distance() -> Distance:
    return by_networkx


EVERY_COST = [AS_PRINTED, METRIC, EDGES_ONLY, EditCosts(3.0, 0.3)]
SIZES = [(4, 4), (2, 5), (5, 3), (1, 1)]


@pytest.fixture(params=[(costs, sizes) for costs in EVERY_COST for sizes in SIZES], ids=str)
def solved(request: pytest.FixtureRequest) -> list[tuple[EditProblem, float]]:
    """Small problems of every kind of cost, and the distance by the definition."""
    costs, sizes = request.param
    random = np.random.default_rng(sum(sizes))
    pairs = [[draw(n, random) for n in sizes] for _ in range(4)]
    return [(EditProblem.of(*pair, costs), by_recursion(*pair, costs)) for pair in pairs]
