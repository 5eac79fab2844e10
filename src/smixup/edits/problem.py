"""The edit distance as an assignment problem: what is compared, what edits cost, what is sought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Order: TypeAlias = NDArray[np.int64]
DELETED = -1
DEARER = 1e-12


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
