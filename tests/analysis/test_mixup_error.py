"""Theorem 1: where it is false, by hand, and what is true instead, on random pairs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.analysis.interval import Interval, Verdict
from smixup.analysis.mixup_error import (
    MixupError,
    PairDistances,
    corrected_least,
    corrected_most,
    identity_distance,
    normalized_ged,
    normalized_interval,
    printed_bound,
)
from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.edits.edit_distance import EditDistance, edit_distance
from smixup.edits.weighted_graph import WeightedGraph

EVERY_COST = [AS_PRINTED, METRIC, EDGES_ONLY]


def exactly(value: float) -> EditDistance:
    return EditDistance(value, value, True, ())


def transformed(M: np.ndarray, graph: WeightedGraph) -> WeightedGraph:
    """Eq. (4) without the diagonal."""
    adj = M @ graph.adj @ M.T
    return WeightedGraph.of(adj - np.diag(adj.diagonal()), M @ graph.x)


def measure(
    left: WeightedGraph, right: WeightedGraph, M: np.ndarray, lam: float, costs: EditCosts
) -> tuple[PairDistances, MixupError]:
    aligned = transformed(M, right)
    mixed = left.mixed_with(aligned, lam)
    pair = PairDistances(
        between=edit_distance(left, right, costs),
        to_aligned=edit_distance(left, aligned, costs),
        moved=edit_distance(right, aligned, costs),
        identity=identity_distance(left, aligned, costs),
    )
    to_left, to_right = (edit_distance(mixed, graph, costs) for graph in (left, right))
    return pair, MixupError.of(lam, to_left, to_right, pair)


@pytest.mark.parametrize("costs", EVERY_COST)
def test_equal_graphs_contradict_the_printed_statement_under_any_cost(costs: EditCosts) -> None:
    """Two graphs of one edge, spread evenly: b = c = 1/2, so the bound is (1 - lam) / 2, but
    epsilon is always 1/2.
    """
    edge = WeightedGraph.of([[0, 1], [1, 0]], [[1], [1]])
    pair, error = measure(edge, edge, np.full((2, 2), 0.5), 0.8, costs)
    assert (pair.to_aligned.value, pair.moved.value, pair.identity) == (0.5, 0.5, 0.5)
    assert error.epsilon == pytest.approx(0.5)
    assert error.bound.lower == error.bound.upper == pytest.approx(0.1)
    assert (error.printed, error.one_sided, error.corrected) == (
        Verdict.FAILS,
        Verdict.HOLDS,
        Verdict.HOLDS,
    )


def test_different_graphs_contradict_it_too_and_reach_the_corrected_limit() -> None:
    """An edge of weight 1 and one of 1/2, spread evenly: epsilon is 0.7, not within 0.05 of 0.8."""
    heavy, light = (WeightedGraph.of([[0, w], [w, 0]], [[1], [1]]) for w in (1.0, 0.5))
    pair, error = measure(heavy, light, np.full((2, 2), 0.5), 0.8, METRIC)
    assert error.epsilon == pytest.approx(0.7)
    assert error.bound.upper == pytest.approx(0.05)
    assert error.printed is Verdict.FAILS
    assert pair.corrected_least(0.8).lower == pytest.approx(-0.1)
    assert error.corrected is Verdict.HOLDS


def test_squared_costs_contradict_even_the_one_sided_statement_for_a_perfect_alignment() -> None:
    """Two single nodes: c = 0 promises epsilon = lam, but squares make it 0.9 instead of 0.75."""
    here, there = (WeightedGraph.of([[0.0]], [[place]]) for place in (1.0, 2.0))
    _, squared = measure(here, there, np.eye(1), 0.75, AS_PRINTED)
    assert squared.epsilon == pytest.approx(0.9)
    assert (squared.bound.upper, squared.one_sided, squared.corrected) == (
        0.0,
        Verdict.FAILS,
        Verdict.FAILS,
    )
    _, metric = measure(here, there, np.eye(1), 0.75, METRIC)
    assert metric.epsilon == pytest.approx(0.75)
    assert metric.printed is metric.corrected is Verdict.HOLDS


def test_a_permutation_that_aligns_badly_contradicts_the_one_sided_statement() -> None:
    """A path and itself with its middle moved to an end: c = 0, since M is a permutation, but the
    mix is off.
    """
    path = WeightedGraph.of([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    heavier = WeightedGraph.of([[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    pair, error = measure(path, heavier, np.eye(3)[[1, 0, 2]], 0.2, METRIC)
    assert pair.moved.value == 0
    assert pair.identity_excess > 1
    assert (error.bound.upper, error.one_sided, error.corrected) == (
        0.0,
        Verdict.FAILS,
        Verdict.HOLDS,
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 4),
    st.floats(0, 1),
    st.sampled_from([METRIC, EDGES_ONLY]),
)
def test_the_corrected_statement_is_true(
    random_graph: Callable[..., WeightedGraph],
    seed: int,
    n1: int,
    n2: int,
    lam: float,
    costs: EditCosts,
) -> None:
    random = np.random.default_rng(seed)
    left, right = (
        random_graph(n1, random, random.random()),
        random_graph(n2, random, random.random()),
    )
    sharpness = 10 ** random.uniform(-1, 1.5)
    M = np.exp(sharpness * random.random((n1, n2)))
    pair, error = measure(left, right, M / M.sum(0), lam, costs)
    assert error.corrected is Verdict.HOLDS
    if pair.identity_excess <= 1e-9 and not math.isnan(error.epsilon):
        assert error.one_sided is Verdict.HOLDS
        assert pair.corrected_most(lam).upper == pytest.approx(error.bound.upper, abs=1e-6)


def test_numbers_by_hand() -> None:
    assert printed_bound(0.6, 3.0, 1.0) == pytest.approx(0.1)
    assert printed_bound(0.6, 0.0, 0.0) == 0.0
    assert corrected_least(0.6, 3.0, 2.0) == pytest.approx(-0.2)
    assert corrected_least(0.6, 9.0, 2.0) == -0.6
    assert corrected_least(0.6, 9.0, 0.0) == -0.6
    assert corrected_most(0.6, 4.0, 3.0, 1.0) == pytest.approx((0.6 + 0.4) / 4)
    assert corrected_most(0.6, 3.0, 3.0, 1.0) == pytest.approx(printed_bound(0.6, 3.0, 1.0))
    assert corrected_most(0.6, 30.0, 3.0, 1.0) == pytest.approx(0.4)
    assert corrected_most(0.6, 0.0, 0.0, 0.0) == pytest.approx(0.4)


def test_epsilon_and_what_is_known_of_it() -> None:
    assert normalized_ged(1.0, 3.0) == 0.75
    assert math.isnan(normalized_ged(0.0, 0.0))
    loose = normalized_interval(
        EditDistance(1.0, 2.0, False, ()), EditDistance(2.0, 3.0, False, ())
    )
    assert loose == Interval(0.5, 0.75)
    assert normalized_interval(exactly(0.0), exactly(0.0)) == Interval(0.0, 1.0)


def test_loose_bounds_leave_the_verdict_open() -> None:
    loose = EditDistance(1.0, 2.0, False, ())
    pair = PairDistances(exactly(2.0), exactly(2.0), loose, 2.0)
    assert pair.printed_bound(0.5) == Interval(1 / 6, 0.25)
    at_edge, inside, outside = (
        MixupError.of(0.5, exactly(3.0), exactly(to_right), pair) for to_right in (8.0, 4.0, 20.0)
    )
    assert (at_edge.printed, inside.printed, outside.printed) == (
        Verdict.OPEN,
        Verdict.HOLDS,
        Verdict.FAILS,
    )
