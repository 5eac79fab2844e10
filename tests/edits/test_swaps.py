"""Gains of swaps are differences of costs, and the search ends where no swap gains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from smixup.edits.edit_costs import AS_PRINTED
from smixup.edits.edit_problem import EditProblem
from smixup.edits.swaps import improve, swap_gains
from smixup.edits.weighted_graph import WeightedGraph


def test_gains_against_costs(random_graph: Callable[..., WeightedGraph]) -> None:
    random = np.random.default_rng(0)
    problem = EditProblem.of(random_graph(5, random), random_graph(4, random), AS_PRINTED)
    order = random.permutation(problem.size)
    gains = swap_gains(problem, order)
    for r in range(problem.size):
        for s in range(problem.size):
            swapped = order.copy()
            swapped[[r, s]] = order[[s, r]]
            assert gains[r, s] == pytest.approx(problem.cost(order) - problem.cost(swapped))


def test_no_swap_is_left(random_graph: Callable[..., WeightedGraph]) -> None:
    random = np.random.default_rng(1)
    problem = EditProblem.of(random_graph(8, random), random_graph(8, random), AS_PRINTED)
    start = random.permutation(problem.size)
    kept = start.copy()
    found = improve(problem, start)
    assert problem.cost(found) < problem.cost(start)
    assert swap_gains(problem, found).max() < 1e-8
    assert start.tolist() == kept.tolist()
