"""A cheap edit path between two graphs (Def. 1): by Frank-Wolfe and swaps, from several starts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from smixup.edits.problem import Array, EditProblem, Order

LEAST_GAIN = 1e-9
STEPS, LEVELS = 20, 6
"""Steps of Frank-Wolfe from each start, and how many edge weights are told apart, see `layers`."""


def shortest_path(problem: EditProblem, starts: int = 30) -> Order:
    """Return the cheapest edit path that a search from so many random starts finds.

    Between graphs of four to eight nodes, 30 starts found the cheapest path of all in 179 of 180
    pairs, and 4 starts in 168, on average 0.2 % above it.
    """
    bound, best = match_stars(problem)
    least = np.inf
    for order in _candidates(problem, best, starts):
        if (cost := problem.cost(order)) < least:
            best, least = order, cost
        if least <= bound:
            break
    return best


def match_stars(problem: EditProblem) -> tuple[float, Order]:
    """Return a lower bound of the cost and an order to begin a search with: the best assignment of
    nodes if every edge could be changed at each of its ends by itself (Riesen and Bunke 2009).

    Half of what an edge costs is paid at each end. At the node i that becomes k, the weights of the
    edges of i are matched with those of k, at the least cost in sorted order.
    """
    stars = np.asarray(cdist(np.sort(problem.adj1), np.sort(problem.adj2), "cityblock"))
    costs = problem.nodes + stars / 2
    rows, order = linear_sum_assignment(costs)
    return float(costs[rows, order].sum()), np.asarray(order, dtype=np.int64)


def _candidates(problem: EditProblem, stars: Order, starts: int) -> Iterator[Order]:
    """Yield orders that no swap makes cheaper: from that of stars, then by descent from the uniform
    matrix and from matrices half way between it and an order.
    """
    yield improve(problem, stars)
    size, pairs = problem.size, layers(problem)
    random, uniform = np.random.default_rng(0), np.full((size, size), 1 / max(size, 1))
    drawn = (random.permutation(size) for _ in range(starts))
    halfway = ((uniform + np.eye(size)[order]) / 2 for order in chain([stars], drawn))
    for P in chain([uniform], halfway):
        nearest = linear_sum_assignment(_descend(problem.nodes, pairs, P), maximize=True)[1]
        yield improve(problem, nearest)


def improve(problem: EditProblem, order: Order) -> Order:
    """Return an order that no swap of two partners makes cheaper.

    If nodes r and s swap partners, the edge between them keeps its own. For all others the rows of
    the two weight matrices are compared; the places r and s of a row do not count.
    """
    order = order.copy()
    while problem.size > 1:
        A, B = problem.adj1, problem.adj2[np.ix_(order, order)]
        rows = problem.nodes[:, order] + np.asarray(cdist(A, B, "cityblock"))
        now = rows.diagonal()
        gain = now[:, None] + now[None] - rows - rows.T - 2 * np.abs(A - B) + 2 * (A + B)
        r, s = np.unravel_index(int(gain.argmax()), gain.shape)
        if gain[r, s] < LEAST_GAIN:
            break
        order[[r, s]] = order[[s, r]]
    return order


def _descend(nodes: Array, pairs: tuple[Array, Array], P: Array) -> Array:
    """Go down `<nodes, P> - sum_k tr(A_k P B_k P^T)` within the doubly stochastic matrices."""
    A, B = pairs
    for _ in range(STEPS):
        slope = nodes - 2 * (A @ P @ B).sum(0)
        D = np.eye(len(P))[linear_sum_assignment(slope)[1]] - P
        fall, bend = float((slope * D).sum()), -float(((A @ D @ B).sum(0) * D).sum())
        if fall > -LEAST_GAIN:
            break
        step = min(1.0, -fall / (2 * bend)) if bend > 0 else 1.0  # least of fall t + bend t^2
        P = P + step * D
    return P


def layers(problem: EditProblem, levels: int = LEVELS) -> tuple[Array, Array]:
    """Return matrices `A_k`, `B_k`, `[K, N, N]` each, with `min(a, b) = sum_k A_k B_k` for every
    pair of weights.

    Since `|a - b| = a + b - 2 min(a, b)`, the cost of edges is then a constant less
    `sum_k tr(A_k P B_k P^T)`, which is quadratic in the order P. The weights of one graph are cut
    at the levels `v_1 < ... < v_K` that occur in the other: `A_k` is what of a lies between
    `v_{k-1}` and `v_k`, and `B_k` tells where b reaches `v_k`. With more levels than allowed,
    quantiles stand for them, and the search is guided by an approximation.
    """
    first, second = (np.unique(adj[adj > 0]) for adj in (problem.adj1, problem.adj2))
    values = first if len(first) < len(second) else second
    if len(values) > levels:
        values = np.quantile(values, (np.arange(levels) + 0.5) / levels)
    above = values[:, None, None]
    below = np.concatenate([[0.0], values])[:-1, None, None]

    def cut(adj: Array) -> Array:
        return np.asarray(np.clip(adj - below, 0.0, above - below))

    def reached(adj: Array) -> Array:
        return (adj >= above).astype(np.float64)

    if len(first) < len(second):
        return reached(problem.adj1), cut(problem.adj2)
    return cut(problem.adj1), reached(problem.adj2)
