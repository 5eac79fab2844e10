"""Enumeration finds what the definition finds, or says that it gave up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.edits.edit_costs import METRIC
from smixup.edits.edit_problem import EditProblem
from smixup.edits.enumeration import enumerate_orders
from smixup.edits.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]


def test_against_the_definition(solved: list[tuple[EditProblem, float]]) -> None:
    for problem, optimum in solved:
        found = enumerate_orders(problem, np.inf, 10**7)
        assert found.complete
        assert found.order is not None
        assert problem.cost(found.order) == pytest.approx(optimum)
        assert enumerate_orders(problem, optimum, 10**7).order is None
        assert enumerate_orders(problem, optimum + 1e-3, 10**7).order is not None


def test_gives_up_beyond_the_limit(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(0)
    problem = EditProblem.of(random_graph(7, random), random_graph(7, random), METRIC)
    found = enumerate_orders(problem, np.inf, 1000)
    assert (found.complete, found.order) == (False, None)
