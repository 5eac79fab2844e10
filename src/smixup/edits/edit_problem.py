"""The edit distance as an assignment problem: two graphs filled up with empty nodes to one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from smixup.edits.edit_costs import EditCosts
from smixup.edits.weighted_graph import Array, WeightedGraph
from smixup.errors import SmixupError

Order: TypeAlias = NDArray[np.int64]
NodeMap: TypeAlias = Sequence[int]
DELETED = -1
ROUNDING = 1e-12


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
    def of(cls, left: WeightedGraph, right: WeightedGraph, costs: EditCosts) -> EditProblem:
        """State the problem for two graphs."""
        n1, n2 = len(left), len(right)
        change, delete, insert = (
            costs.substitution(left, right),
            costs.removal(left),
            costs.removal(right),
        )
        dear = bool((change > delete[:, None] + insert[None] + ROUNDING).any())
        size = n1 + n2 if dear else max(n1, n2)
        nodes = np.zeros((size, size))
        nodes[:n1, :n2], nodes[:n1, n2:], nodes[n1:, :n2] = change, delete[:, None], insert[None]
        return cls(nodes, _filled_up(left.adj, size), _filled_up(right.adj, size), n1, n2)

    @property
    def size(self) -> int:
        """N, the nodes of either graph with the empty ones."""
        return len(self.nodes)

    @property
    def keeps_all(self) -> bool:
        """Whether only the larger graph needs to lose or gain nodes."""
        return self.size == max(self.n1, self.n2)

    def cost(self, order: Order) -> float:
        """Return what an edit path costs."""
        changed = np.abs(self.adj1 - self.adj2[np.ix_(order, order)])
        return float(self.nodes[np.arange(self.size), order].sum() + changed.sum() / 2)

    def node_map(self, order: Order) -> tuple[int, ...]:
        """Return the partner in G2 of each node of G1, -1 for a deleted node."""
        return tuple(int(k) if k < self.n2 else DELETED for k in order[: self.n1])

    def order_of(self, node_map: NodeMap) -> Order:
        """Return an order that contains the given partners; where there is room, other nodes find
        partners too.

        Args:
            node_map: the partner in G2 of each node of G1, -1 where there is none.
        """
        given = {i: k for i, k in enumerate(node_map) if k != DELETED}
        legal = len(node_map) == self.n1 and all(0 <= k < self.n2 for k in given.values())
        if not legal or len(set(given.values())) < len(given):
            raise SmixupError(
                f"an alignment names a different node of G2 (0 to {self.n2 - 1}) or -1 for each of "
                f"{self.n1} nodes."
            )
        wishes = np.zeros((self.size, self.size))
        wishes[list(given), list(given.values())] = 1.0
        return nearest_order(wishes)


def nearest_order(weights: Array) -> Order:
    """Return the order with the largest sum of weights `[N, N]`."""
    return np.asarray(linear_sum_assignment(weights, maximize=True)[1], dtype=np.int64)


def _filled_up(adj: Array, size: int) -> Array:
    filled = np.zeros((size, size))
    filled[: len(adj), : len(adj)] = adj
    np.fill_diagonal(filled, 0.0)
    return filled
