"""A cheap edit path between two graphs (Def. 1): by Frank-Wolfe and swaps, and of small graphs the
cheapest there is, proved by stars or by going through all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from smixup.edits.problem import Array, EditProblem, Order

TOLERANCE, LEAST_GAIN = 1e-6, 1e-9
ENUMERATED = 4_000_000
"""How many numbers an enumeration may keep at once; nine nodes need fewer."""
STEPS, LEVELS = 20, 6
"""Steps of Frank-Wolfe from each start, and how many edge weights are told apart, see `layers`."""


def shortest_path(
    problem: EditProblem,
    orders: Sequence[Order] = (),
    starts: int = 8,
    enumerated: int = ENUMERATED,
) -> tuple[Order, bool]:
    """Return the cheapest edit path that was found, never dearer than the given orders, and whether
    it is proved that none is cheaper.

    Args:
        problem: the two graphs.
        orders: edit paths to start from.
        starts: random starts of the search besides.
        enumerated: how many numbers an enumeration may keep at once.
    """
    bound, stars = match_stars(problem)
    best, least = stars, np.inf
    for order in _candidates(problem, [*orders, stars], starts):
        if (cost := problem.cost(order)) < least:
            best, least = order, cost
        if least <= bound:
            break
    if bound >= least - TOLERANCE * max(1.0, least):
        return best, True
    cheaper, complete = enumerate_orders(problem, least, enumerated)
    return best if cheaper is None else cheaper, complete


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


def _candidates(problem: EditProblem, orders: Sequence[Order], starts: int) -> Iterator[Order]:
    """Yield orders that no swap makes cheaper: from those that are given, then by descent from the
    uniform matrix and from matrices half way between it and an order.
    """
    for order in orders:
        yield improve(problem, order)
    size, pairs = problem.size, layers(problem)
    random, uniform = np.random.default_rng(0), np.full((size, size), 1 / max(size, 1))
    drawn = (random.permutation(size) for _ in range(starts))
    halfway = ((uniform + np.eye(size)[order]) / 2 for order in chain(orders, drawn))
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


def enumerate_orders(problem: EditProblem, known: float, limit: int) -> tuple[Order | None, bool]:
    """Return the cheapest order that is cheaper than a known cost, None if there is none, and
    whether every alignment was considered: all ways to give partners to the first t nodes are
    extended at once, and dropped where they cannot beat it.

    Heavy nodes come first and empty ones last. Empty nodes are alike: to a node of G1 all empty
    partners are one, and to empty nodes of G1, whatever is left over is. More prices than `limit`
    at once end it.
    """
    weight = problem.adj1.sum(1) + problem.nodes.max(1, initial=0.0)
    turn: Order = np.lexsort((-weight, np.arange(problem.size) >= problem.n1))
    adj1, adj2 = problem.adj1[np.ix_(turn, turn)], problem.adj2
    partners, spent = np.zeros((1, 0), dtype=np.int64), np.zeros(1)  # of S ways: [S, t], [S]
    # what later nodes cost with each partner, infinite if it is taken, [S, N - t, N]; and how much
    # edges from each free node of G2 to the other free ones weigh, [S, N]
    price, degree = problem.nodes[turn][None], adj2.sum(1)[None]
    for t in range(problem.size):
        if price.size * (problem.size - t - 1) > limit:
            return None, False
        free, alike = np.isfinite(price[:, 0]), problem.n2 if t < problem.n1 else 0
        free[:, alike:] &= free[:, alike:].cumsum(1) == 1
        way, k = np.nonzero(free)
        partners = np.concatenate([partners[way], k[:, None]], 1)
        spent = spent[way] + price[way, 0, k]
        price = price[way, 1:] + np.abs(adj1[t, t + 1 :, None] - adj2[k][:, None])
        price[np.arange(len(way)), :, k] = np.inf
        degree = degree[way] - adj2[k]
        np.put_along_axis(degree, partners, 0.0, axis=1)
        rest = _least(price, degree, adj1[t + 1 :, t + 1 :].sum(1))
        kept = spent + rest < known - LEAST_GAIN
        partners, spent, price, degree = (each[kept] for each in (partners, spent, price, degree))
    if len(spent) == 0:
        return None, True
    order = np.empty(problem.size, dtype=np.int64)
    order[turn] = partners[spent.argmin()]
    return order, True


def _least(price: Array, degree: Array, degree1: Array) -> Array:
    """Return what later nodes and the edges among them cost at least, `[S]`.

    Nodes cost at least the least price of every row, or of every column. Edges cost at least the
    difference of their total weights; or, half of it at each end, that of the nodes' degrees.
    """
    totals = np.abs(degree.sum(1) - degree1.sum()) / 2
    ends = np.abs(degree[:, None] - degree1[:, None]) / 2
    return np.asarray(np.maximum(_assigned(price) + totals, _assigned(price + ends)))


def _assigned(price: Array) -> Array:
    """Return lower bounds of assignment problems `[S, R, N]` with R finite columns in each."""
    if price.shape[1] == 0:
        return np.zeros(len(price))
    columns = price.min(1)
    by_column = np.where(np.isfinite(columns), columns, 0.0).sum(1)
    return np.asarray(np.maximum(price.min(2).sum(1), by_column))
