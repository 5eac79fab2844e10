"""The integer program is the definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.edits.edit_costs import EDGES_ONLY, METRIC
from smixup.edits.edit_problem import EditProblem
from smixup.edits.exact import solve
from smixup.edits.weighted_graph import WeightedGraph

RandomGraph = Callable[..., WeightedGraph]
SECONDS = 60.0


def test_against_the_definition(solved: list[tuple[EditProblem, float]]) -> None:
    for problem, optimum in solved:
        proof = solve(problem, problem.cost(np.arange(problem.size)), SECONDS)
        assert proof.optimal
        assert proof.order is not None
        assert problem.cost(proof.order) == pytest.approx(optimum, abs=1e-6)
        assert proof.lower == pytest.approx(optimum, abs=1e-5)


def test_graphs_without_edges(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(0)
    bare = WeightedGraph.of(np.zeros((3, 3)), random.random((3, 2)))
    problem = EditProblem.of(bare, random_graph(2, random, 0.0), METRIC)
    proof = solve(problem, problem.cost(np.arange(3)), SECONDS)
    assert proof.optimal
    assert proof.order is not None


def test_no_time_is_no_proof(random_graph: RandomGraph) -> None:
    random = np.random.default_rng(1)
    problem = EditProblem.of(
        random_graph(10, random, 0.9), random_graph(10, random, 0.9), EDGES_ONLY
    )
    assert not solve(problem, problem.cost(np.arange(10)), 0.0).optimal
