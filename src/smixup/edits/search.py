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
from smixup.ranges import Natural, RangedFields, Seed, Steps

LEAST_GAIN = 1e-9


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
    C = problem.nodes[:, order]
    rows = C + np.asarray(cdist(A, B, "cityblock"))
    now = rows.diagonal()
    gain = now[:, None] + now[None] - rows - rows.T - 2 * np.abs(A - B) + 2 * (A + B)
    return np.asarray(gain, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class StarMatching:
    """The best assignment of nodes if every edge could be changed at each of its ends by itself:
    its cost is a lower bound (Riesen and Bunke 2009), its order a good start for a search.
    """

    bound: float
    order: Order


def match_stars(problem: EditProblem) -> StarMatching:
    """Bound the edit distance from below.

    Half of what an edge costs is paid at each end. At the node i that becomes k, the weights of the
    edges of i are matched with those of k, at the least cost in sorted order.
    """
    costs = problem.nodes + star_costs(problem.adj1, problem.adj2) / 2
    rows, order = linear_sum_assignment(costs)
    return StarMatching(float(costs[rows, order].sum()), np.asarray(order, dtype=np.int64))


def star_costs(adj1: Array, adj2: Array) -> Array:
    """Return the cheapest way to turn the edge weights at node i into those at node k, `[N, N]`."""
    return np.asarray(
        cdist(np.sort(adj1, axis=1), np.sort(adj2, axis=1), "cityblock"), dtype=np.float64
    )


CONVERGED = 1e-9


@dataclass(frozen=True)
class FrankWolfe(RangedFields):
    """Searches for a cheap edit path.

    Attributes:
        starts: random starts, besides the given orders and the uniform matrix.
        steps: of Frank-Wolfe from each start.
        levels: in how many steps edge weights are described at most, see `layers`; more is finer
            and slower.
        seed: of the random starts.
    """

    starts: Natural = 100
    steps: Steps = 20
    levels: Steps = 6
    seed: Seed = 0

    def search(
        self, problem: EditProblem, orders: Sequence[Order] = (), enough: float = -np.inf
    ) -> Order:
        """Return the cheapest order found, never dearer than the given ones, from which it starts,
        too; it stops at a cost that is `enough`.
        """
        best, least = None, np.inf
        for order in self._candidates(problem, orders):
            cost = problem.cost(order)
            if best is None or cost < least:
                best, least = order, cost
            if least <= enough:
                break
        assert best is not None
        return best

    def _candidates(self, problem: EditProblem, orders: Sequence[Order]) -> Iterator[Order]:
        """Yield orders that no swap makes cheaper."""
        for order in orders:
            yield improve(problem, order)
        pairs = layers(problem, self.levels)
        for P in self._starting_points(problem.size, orders):
            yield improve(problem, nearest_order(self._descend(problem.nodes, pairs, P)))

    def _starting_points(self, size: int, orders: Sequence[Order]) -> Iterator[Array]:
        """Yield the uniform matrix, then matrices half way from it to an order, `[N, N]` each."""
        random = np.random.default_rng(self.seed)
        uniform = np.full((size, size), 1 / max(size, 1))
        yield uniform
        drawn = (random.permutation(size) for _ in range(self.starts))
        for order in chain(orders, drawn):
            yield (uniform + np.eye(size)[order]) / 2

    def _descend(self, nodes: Array, pairs: tuple[Array, Array], P: Array) -> Array:
        """Go down `<nodes, P> - sum_k tr(A_k P B_k P^T)` within the doubly stochastic matrices."""
        A, B = pairs
        for _ in range(self.steps):
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
        return _cut(problem.adj1, _at_most(second, levels)), _reached(
            problem.adj2, _at_most(second, levels)
        )
    return _reached(problem.adj1, _at_most(first, levels)), _cut(
        problem.adj2, _at_most(first, levels)
    )


def _at_most(values: Array, number: int) -> Array:
    if len(values) <= number:
        return values
    return np.quantile(values, (np.arange(number) + 0.5) / number)


def _cut(adj: Array, values: Array) -> Array:
    below = np.concatenate([[0.0], values[:-1]]) if len(values) else values
    return np.clip(adj[None] - below[:, None, None], 0.0, (values - below)[:, None, None])


def _reached(adj: Array, values: Array) -> Array:
    return (adj[None] >= values[:, None, None]).astype(np.float64)


TOLERANCE = 1e-6


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
    stars = match_stars(problem)
    orders = [*map(problem.order_of, alignments), stars.order]
    order = FrankWolfe(starts).search(problem, orders, stars.bound)
    upper = problem.cost(order)
    proved = stars.bound >= upper - TOLERANCE * max(1.0, upper)
    if not proved:
        rest = enumerate_orders(problem, upper, enumerated)
        order = order if rest.order is None else rest.order
        upper, proved = problem.cost(order), rest.complete
    lower = upper if proved else min(max(stars.bound, 0.0), upper)
    return EditDistance(lower, upper, problem.node_map(order))
