"""The edit distance (Def. 1) as an assignment problem, and a cheap edit path: by Frank-Wolfe and
swaps, from several starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

Array: TypeAlias = NDArray[np.float64]
Order: TypeAlias = NDArray[np.int64]
DELETED = -1
DEARER, LEAST_GAIN = 1e-12, 1e-9
STEPS, LEVELS = 20, 6
"""Steps of Frank-Wolfe from each start, and how many edge weights are told apart, see `layers`."""


@dataclass(frozen=True, eq=False)
class WeightedGraph:
    """An undirected graph; a self-loop is an edge that shares the fate of its node.

    Attributes:
        adj: weights `[n, n]`, symmetric and not negative; zero is no edge.
        x: node features `[n, d]`; `d` may be zero.
    """

    adj: Array
    x: Array

    def __len__(self) -> int:
        return len(self.adj)


@dataclass(frozen=True, eq=False)
class EditProblem:
    """Find the order `pi` of N nodes that makes the second graph most like the first.

    Both graphs are filled up with empty nodes (zero features, no edges), to which a node is
    substituted when it is deleted and from which it comes when it is inserted. An edit path that
    touches every node and edge at most once is such an order, and costs

        sum_i nodes[i, pi(i)] + sum_{i<j} |adj1[i, j] - adj2[pi(i), pi(j)]|.

    N is `max(n1, n2)` where no substitution of a node costs more than deleting the one and
    inserting the other: then doing so never pays, since for edges `|a - b| <= a + b`. Otherwise N
    is `n1 + n2`.

    Attributes:
        nodes: node costs `[N, N]`, self-loops included.
        adj1, adj2: weights `[N, N]`, without self-loops.
        n1, n2: nodes that are not empty.
    """

    nodes: Array
    adj1: Array
    adj2: Array
    n1: int
    n2: int

    @classmethod
    def of(cls, left: WeightedGraph, right: WeightedGraph, exponent: float) -> EditProblem:
        """State the problem for two graphs.

        An edge costs its weight w to insert or delete and `|w - w'|` to substitute; a node costs
        `|x|^p` and `|x - x'|^p`, p the exponent: 2 as printed (Def. 1), 1 for costs that obey the
        triangle inequality; 0 counts the nodes that change, as `0^0` is zero here.
        """
        n1, n2, loops1, loops2 = len(left), len(right), left.adj.diagonal(), right.adj.diagonal()
        change = _powers(left.x[:, None] - right.x, exponent) + np.abs(loops1[:, None] - loops2)
        delete = (_powers(left.x, exponent) + loops1)[:, None]
        insert = _powers(right.x, exponent) + loops2
        size = n1 + n2 if (change > delete + insert + DEARER).any() else max(n1, n2)
        nodes = np.zeros((size, size))
        nodes[:n1, :n2], nodes[:n1, n2:], nodes[n1:, :n2] = change, delete, insert
        return cls(nodes, _filled_up(left.adj, size), _filled_up(right.adj, size), n1, n2)

    @property
    def size(self) -> int:
        """N, the nodes of either graph with the empty ones."""
        return len(self.nodes)

    def cost(self, order: Order) -> float:
        """Return what an edit path costs."""
        changed = np.abs(self.adj1 - self.adj2[np.ix_(order, order)])
        return float(self.nodes[np.arange(self.size), order].sum() + changed.sum() / 2)

    def node_map(self, order: Order) -> Order:
        """Return the partner in G2 of each node of G1 `[n1]`, -1 for a deleted node."""
        return np.where(order < self.n2, order, DELETED)[: self.n1]


def _powers(x: Array, exponent: float) -> Array:
    """Return `|x|^p` of vectors in the last dimension."""
    norms = np.linalg.norm(x, axis=-1)
    return np.asarray(norms > 0 if exponent == 0 else norms**exponent, dtype=np.float64)


def _filled_up(adj: Array, size: int) -> Array:
    filled = np.zeros((size, size))
    filled[: len(adj), : len(adj)] = adj
    np.fill_diagonal(filled, 0.0)
    return filled


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
