"""The exact edit distance of small dense graphs, by going through all alignments that may still be cheap enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smixup.analysis.edit_problem import EditProblem, Order
from smixup.analysis.weighted_graph import Array

LEAST_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class Frontier:
    """All promising ways to give partners to the first t nodes.

    Attributes:
        partners: `[S, t]`.
        spent: `[S]`, what these nodes and the edges among them cost.
        price: `[S, N - t, N]`, what a later node costs with each partner: itself and its edges to the first t nodes;
            infinite where the partner is taken.
        left_over: `[S]`, weight of the edges of G2 among nodes that are not taken.
    """

    partners: NDArray[np.int64]
    spent: Array
    price: Array
    left_over: Array

    @classmethod
    def start(cls, nodes: Array, adj2: Array) -> Frontier:
        """Return the one way to give partners to no node."""
        return cls(np.zeros((1, 0), dtype=np.int64), np.zeros(1), nodes[None], np.full(1, adj2.sum() / 2))

    def least(self, to_come: float) -> Array:
        """Return what the whole alignment costs at least, `[S]`.

        Args:
            to_come: weight of the edges of G1 among later nodes; it is turned into what is left over of G2.
        """
        free = np.isfinite(self.price).any(1)
        by_row = self.price.min(2).sum(1)
        by_column = np.where(free, self.price.min(1), 0.0).sum(1)
        return np.asarray(self.spent + np.maximum(by_row, by_column) + np.abs(self.left_over - to_come))

    def kept(self, chosen: NDArray[np.bool_]) -> Frontier:
        """Return some of the ways."""
        return Frontier(self.partners[chosen], self.spent[chosen], self.price[chosen], self.left_over[chosen])

    def extended(self, later: Array, adj2: Array, alike: int) -> Frontier:
        """Give a partner to the next node in every way that makes a difference.

        Args:
            later: weights of the edges of G1 from the next node to those after it.
            adj2: weights of G2.
            alike: partners from this one on are alike to the node; only the first of them that is free is tried.
        """
        free = np.isfinite(self.price[:, 0])
        free[:, alike:] &= free[:, alike:].cumsum(1) == 1
        way, k = np.nonzero(free)
        price = self.price[way, 1:] + np.abs(later[None, :, None] - adj2[k][:, None])
        price[np.arange(len(way)), :, k] = np.inf
        taken = np.zeros((len(way), len(adj2)))
        np.put_along_axis(taken, self.partners[way], 1.0, axis=1)
        lost = adj2[k].sum(1) - (taken * adj2[k]).sum(1)
        return Frontier(
            partners=np.concatenate([self.partners[way], k[:, None]], 1),
            spent=self.spent[way] + self.price[way, 0, k],
            price=price,
            left_over=self.left_over[way] - lost,
        )


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What came of it.

    Attributes:
        order: the cheapest one that is cheaper than what was known, None if there is none.
        complete: whether every alignment was considered.
    """

    order: Order | None
    complete: bool


def enumerate_orders(problem: EditProblem, known: float, limit: int) -> Enumeration:
    """Go through the alignments node by node, all at once, and drop those that cannot beat a known cost.

    Heavy nodes come first and empty ones last. Empty nodes are alike: to a node of G1 all empty partners are one, and
    to empty nodes of G1, whatever is left over is.

    Args:
        problem: two graphs.
        known: the cost of some edit path.
        limit: of prices kept at once; gives up beyond, which never happens with 9 nodes and the default of a solver.
    """
    weight = problem.adj1.sum(1) + problem.nodes.max(1, initial=0.0)
    empty = np.arange(problem.size) >= problem.n1
    turn = np.lexsort((-weight, empty))
    adj1, adj2 = problem.adj1[np.ix_(turn, turn)], problem.adj2
    ways = Frontier.start(problem.nodes[turn], adj2)
    for t in range(problem.size):
        if ways.price.size * (problem.size - t - 1) > limit:
            return Enumeration(None, False)
        ways = ways.extended(adj1[t, t + 1 :], adj2, alike=problem.n2 if t < problem.n1 else 0)
        to_come = float(adj1[t + 1 :, t + 1 :].sum() / 2)
        if t + 1 < problem.size:
            ways = ways.kept(ways.least(to_come) < known - LEAST_GAIN)
    return Enumeration(_cheapest(problem, ways, turn, known), True)


def _cheapest(problem: EditProblem, ways: Frontier, turn: Order, known: float) -> Order | None:
    if len(ways.spent) == 0 or ways.spent.min() >= known - LEAST_GAIN:
        return None
    order = np.empty(problem.size, dtype=np.int64)
    order[turn] = ways.partners[ways.spent.argmin()]
    return order
