"""The graph edit distance (Def. 1, Sec. 5.2): exact for small graphs, between two bounds for
others. An upper bound is a path found by Frank-Wolfe and swaps, a lower one comes from stars.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from smixup.edits.enumeration import enumerate_orders
from smixup.edits.problem import (
    AS_PRINTED,
    Array,
    EditCosts,
    EditProblem,
    NodeMap,
    Order,
    WeightedGraph,
    nearest_order,
)

LEAST_GAIN = CONVERGED = 1e-9
TOLERANCE = 1e-6
STEPS, LEVELS = 20, 6
"""Steps of Frank-Wolfe from each start, and how many edge weights are told apart, see `layers`."""


def improve(problem: EditProblem, order: Order) -> Order:
    """Return an order that no swap of two partners makes cheaper."""
    order = order.copy()
    while problem.size > 1:
        gain = swap_gains(problem, order)
        r, s = np.unravel_index(int(gain.argmax()), gain.shape)
        if gain[r, s] < LEAST_GAIN:
            break
        order[[r, s]] = order[[s, r]]
    return order


def swap_gains(problem: EditProblem, order: Order) -> Array:
    """Return by how much the cost falls if nodes r and s swap partners, `[N, N]`.

    The edge between r and s keeps its partner. For all others the rows of the two weight matrices
    are compared; the places r and s of a row do not count.
    """
    A, B = problem.adj1, problem.adj2[np.ix_(order, order)]
    rows = problem.nodes[:, order] + np.asarray(cdist(A, B, "cityblock"))
    now = rows.diagonal()
    gain: Array = now[:, None] + now[None] - rows - rows.T - 2 * np.abs(A - B) + 2 * (A + B)
    return gain


def match_stars(problem: EditProblem) -> tuple[float, Order]:
    """Return a lower bound of the cost and an order to begin a search with: the best assignment of
    nodes if every edge could be changed at each of its ends by itself (Riesen and Bunke 2009).

    Half of what an edge costs is paid at each end. At the node i that becomes k, the weights of the
    edges of i are matched with those of k, at the least cost in sorted order.
    """
    costs = problem.nodes + star_costs(problem.adj1, problem.adj2) / 2
    rows, order = linear_sum_assignment(costs)
    return float(costs[rows, order].sum()), np.asarray(order, dtype=np.int64)


def star_costs(adj1: Array, adj2: Array) -> Array:
    """Return the cheapest way to turn the edge weights at node i into those at node k, `[N, N]`."""
    return np.asarray(cdist(np.sort(adj1), np.sort(adj2), "cityblock"))


def search(
    problem: EditProblem, orders: Sequence[Order] = (), starts: int = 100, enough: float = -np.inf
) -> Order:
    """Return the cheapest order found by Frank-Wolfe and swaps, never dearer than the given ones,
    from which it starts, too, besides so many random ones; it stops at a cost that is `enough`.
    """
    best, least = None, np.inf
    for order in _candidates(problem, orders, starts):
        cost = problem.cost(order)
        if best is None or cost < least:
            best, least = order, cost
        if least <= enough:
            break
    assert best is not None
    return best


def _candidates(problem: EditProblem, orders: Sequence[Order], starts: int) -> Iterator[Order]:
    """Yield orders that no swap makes cheaper: from those that are given, then by descent from the
    uniform matrix and from matrices half way between it and an order.
    """
    for order in orders:
        yield improve(problem, order)
    size, pairs = problem.size, layers(problem, LEVELS)
    random, uniform = np.random.default_rng(0), np.full((size, size), 1 / max(size, 1))
    drawn = (random.permutation(size) for _ in range(starts))
    halfway = ((uniform + np.eye(size)[order]) / 2 for order in chain(orders, drawn))
    for P in chain([uniform], halfway):
        yield improve(problem, nearest_order(_descend(problem.nodes, pairs, P)))


def _descend(nodes: Array, pairs: tuple[Array, Array], P: Array) -> Array:
    """Go down `<nodes, P> - sum_k tr(A_k P B_k P^T)` within the doubly stochastic matrices."""
    A, B = pairs
    for _ in range(STEPS):
        slope = nodes - 2 * (A @ P @ B).sum(0)
        D = np.eye(len(P))[linear_sum_assignment(slope)[1]] - P
        fall, bend = float((slope * D).sum()), -float(((A @ D @ B).sum(0) * D).sum())
        if fall > -CONVERGED:
            break
        step = min(1.0, -fall / (2 * bend)) if bend > 0 else 1.0  # least of fall t + bend t^2
        P = P + step * D
    return P


def layers(problem: EditProblem, levels: int) -> tuple[Array, Array]:
    """Return matrices `A_k`, `B_k`, `[K, N, N]` each, with `min(a, b) = sum_k A_k B_k` for every
    pair of weights.

    Since `|a - b| = a + b - 2 min(a, b)`, the cost of edges is then a constant less
    `sum_k tr(A_k P B_k P^T)`, which is quadratic in the order P. The weights of one graph are cut
    at the levels `v_1 < ... < v_K` that occur in the other: `A_k` is what of a lies between
    `v_{k-1}` and `v_k`, and `B_k` tells where b reaches `v_k`. With more levels than allowed,
    quantiles stand for them, and the search is guided by an approximation.
    """
    first, second = (np.unique(adj[adj > 0]) for adj in (problem.adj1, problem.adj2))
    if len(second) <= len(first):
        values = _at_most(second, levels)
        return _cut(problem.adj1, values), _reached(problem.adj2, values)
    values = _at_most(first, levels)
    return _reached(problem.adj1, values), _cut(problem.adj2, values)


def _at_most(values: Array, number: int) -> Array:
    if len(values) <= number:
        return values
    return np.quantile(values, (np.arange(number) + 0.5) / number)


def _cut(adj: Array, values: Array) -> Array:
    below = np.concatenate([[0.0], values[:-1]]) if len(values) else values
    return np.clip(adj[None] - below[:, None, None], 0.0, (values - below)[:, None, None])


def _reached(adj: Array, values: Array) -> Array:
    return (adj[None] >= values[:, None, None]).astype(np.float64)


@dataclass(frozen=True)
class EditDistance:
    """What is known of a distance.

    Attributes:
        lower, upper: it lies between them; equal if it is exact.
        node_map: the partner in G2 of each node of G1 in an edit path that costs `upper`, -1 for
            deleted nodes; nodes of G2 that are nobody's partner are inserted.
    """

    lower: float
    upper: float
    node_map: tuple[int, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it is proved that no edit path is cheaper than `upper`."""
        return self.lower == self.upper


def edit_distance(
    left: WeightedGraph,
    right: WeightedGraph,
    costs: EditCosts = AS_PRINTED,
    alignments: Sequence[NodeMap] = (),
    starts: int = 8,
    enumerated: int = 4_000_000,
) -> EditDistance:
    """Return the least cost of turning `left` into `right`, each node and each edge being edited at
    most once.

    A cheap edit path is searched for; then all alignments that may be cheaper are enumerated, which
    proves it for nine nodes and often for more. Otherwise the stars of nodes give a lower bound.

    Args:
        left, right: G1 and G2.
        costs: of the operations.
        alignments: partners in G2 of the nodes of G1 (-1: none) that are worth a try; the result
            costs no more than the best of them.
        starts: random starts of the search.
        enumerated: how many numbers the enumeration may keep at once.
    """
    problem = EditProblem.of(left, right, costs)
    bound, order = match_stars(problem)
    orders = [*map(problem.order_of, alignments), order]
    order = search(problem, orders, starts, bound)
    upper = problem.cost(order)
    proved = bound >= upper - TOLERANCE * max(1.0, upper)
    if not proved:
        cheaper, proved = enumerate_orders(problem, upper, enumerated)
        order = order if cheaper is None else cheaper
        upper = problem.cost(order)
    lower = upper if proved else min(max(bound, 0.0), upper)
    return EditDistance(lower, upper, problem.node_map(order))
