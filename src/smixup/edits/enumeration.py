"""The exact edit distance of small dense graphs, by going through all alignments that may still be
cheap enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smixup.edits.problem import Array, EditProblem, Order

LEAST_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class Frontier:
    """All promising ways to give partners to the first t nodes.

    Attributes:
        partners: `[S, t]`.
        spent: `[S]`, what these nodes and the edges among them cost.
        price: `[S, N - t, N]`, what a later node costs with each partner: itself and its edges to
            the first t nodes; infinite where the partner is taken.
        degree: `[S, N]`, weight of the edges from each free node of G2 to the other free ones, zero
            for taken nodes.
    """

    partners: NDArray[np.int64]
    spent: Array
    price: Array
    degree: Array

    @classmethod
    def start(cls, nodes: Array, adj2: Array) -> Frontier:
        """Return the one way to give partners to no node."""
        return cls(np.zeros((1, 0), dtype=np.int64), np.zeros(1), nodes[None], adj2.sum(1)[None])

    def least(self, degree1: Array) -> Array:
        """Return what the whole alignment costs at least, `[S]`.

        Later nodes cost at least the least price of every row, or of every column. Edges among them
        cost at least the difference of their total weights; or, half of it at each end, the
        difference of the nodes' degrees.

        Args:
            degree1: `[N - t]`, weight of the edges from each later node of G1 to the other later
                ones.
        """
        totals = np.abs(self.degree.sum(1) - degree1.sum()) / 2
        ends = np.abs(self.degree[:, None] - degree1[:, None]) / 2
        return np.asarray(
            self.spent + np.maximum(_assigned(self.price) + totals, _assigned(self.price + ends))
        )

    def kept(self, chosen: NDArray[np.bool_]) -> Frontier:
        """Return some of the ways."""
        return Frontier(
            self.partners[chosen], self.spent[chosen], self.price[chosen], self.degree[chosen]
        )

    def extended(self, later: Array, adj2: Array, alike: int) -> Frontier:
        """Give a partner to the next node in every way that makes a difference. `later` are its
        edges to nodes after it; of partners from `alike` on, the first that is free is tried.
        """
        free = np.isfinite(self.price[:, 0])
        free[:, alike:] &= free[:, alike:].cumsum(1) == 1
        way, k = np.nonzero(free)
        price = self.price[way, 1:] + np.abs(later[None, :, None] - adj2[k][:, None])
        price[np.arange(len(way)), :, k] = np.inf
        partners = np.concatenate([self.partners[way], k[:, None]], 1)
        degree = self.degree[way] - adj2[k]
        np.put_along_axis(degree, partners, 0.0, axis=1)
        return Frontier(partners, self.spent[way] + self.price[way, 0, k], price, degree)


def enumerate_orders(problem: EditProblem, known: float, limit: int) -> tuple[Order | None, bool]:
    """Return the cheapest order that is cheaper than a known cost, None if there is none, and
    whether every alignment was considered: they are gone through node by node, all at once, and
    dropped where they cannot beat it.

    Heavy nodes come first and empty ones last. Empty nodes are alike: to a node of G1 all empty
    partners are one, and to empty nodes of G1, whatever is left over is. More prices than `limit`
    at once end it, which never happens with 9 nodes and the default.
    """
    weight = problem.adj1.sum(1) + problem.nodes.max(1, initial=0.0)
    turn: Order = np.lexsort((-weight, np.arange(problem.size) >= problem.n1))
    adj1, adj2 = problem.adj1[np.ix_(turn, turn)], problem.adj2
    ways = Frontier.start(problem.nodes[turn], adj2)
    for t in range(problem.size):
        if ways.price.size * (problem.size - t - 1) > limit:
            return None, False
        ways = ways.extended(adj1[t, t + 1 :], adj2, alike=problem.n2 if t < problem.n1 else 0)
        ways = ways.kept(ways.least(adj1[t + 1 :, t + 1 :].sum(1)) < known - LEAST_GAIN)
    if len(ways.spent) == 0:
        return None, True
    order = np.empty(problem.size, dtype=np.int64)
    order[turn] = ways.partners[ways.spent.argmin()]
    return order, True


def _assigned(price: Array) -> Array:
    """Return lower bounds of assignment problems `[S, R, N]` in which R columns of each are
    finite.
    """
    if price.shape[1] == 0:
        return np.zeros(len(price))
    columns = price.min(1)
    by_column = np.where(np.isfinite(columns), columns, 0.0).sum(1)
    return np.asarray(np.maximum(price.min(2).sum(1), by_column))
