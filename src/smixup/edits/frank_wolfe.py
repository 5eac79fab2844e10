"""An upper bound of the edit distance: Frank-Wolfe on the relaxed problem, then swaps, from many
starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.optimize import linear_sum_assignment

from smixup.edits.edit_problem import EditProblem, Order, nearest_order
from smixup.edits.swaps import improve
from smixup.edits.weighted_graph import Array
from smixup.ranges import Natural, RangedFields, Seed, Steps

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
        """Return the cheapest order found; never dearer than any of the given ones.

        Args:
            problem: two graphs.
            orders: to begin with; each is improved by swaps and is a start of Frank-Wolfe too.
            enough: a cost at which to stop, such as a lower bound.
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
