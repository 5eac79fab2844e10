"""The edit distance as an assignment problem: what is compared, what edits cost, what is sought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from smixup.errors import SmixupError
from smixup.ranges import NotNegative, RangedFields

if TYPE_CHECKING:
    from smixup.graphs import Graphs


Array: TypeAlias = NDArray[np.float64]
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class WeightedGraph:
    """An undirected graph with edge weights and node features.

    A self-loop is an edge like any other: it has a weight and is counted once.

    Attributes:
        adj: weights `[n, n]`, symmetric and not negative; zero is no edge.
        x: node features `[n, d]`; `d` may be zero.
    """

    adj: Array
    x: Array

    @classmethod
    def of(cls, adj: ArrayLike, x: ArrayLike | None = None) -> WeightedGraph:
        """Take matrices `[n, n]` and `[n, d]`; without features nodes cost nothing."""
        weights = np.array(adj, dtype=np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise SmixupError("edge weights must be finite and not negative for an edit distance.")
        if not np.allclose(weights, weights.T, atol=ROUNDING):
            raise SmixupError(
                "the edit distance is of undirected graphs, and this adjacency is not symmetric: "
                "give both directions of every edge the same weight."
            )
        features = np.zeros((len(weights), 0)) if x is None else np.array(x, dtype=np.float64)
        return cls((weights + weights.T) / 2, features)

    @classmethod
    def from_batch(cls, batch: Graphs) -> WeightedGraph:
        """Take the one graph of a batch."""
        return cls.of(batch.adj.to_dense().detach().cpu().numpy(), batch.x.detach().cpu().numpy())

    def __len__(self) -> int:
        return len(self.adj)

    @property
    def loops(self) -> Array:
        """Weights of the self-loops `[n]`."""
        return self.adj.diagonal()


@dataclass(frozen=True)
class EditCosts(RangedFields):
    """Costs of the six operations.

    A node costs `|x|^p` to insert or delete and `|x - x'|^p` to substitute; an edge costs `w` to
    insert or delete and `|w - w'|` to substitute. An insertion is thus a substitution of nothing: a
    node of zero features, an edge of zero weight. A self-loop is an edge that shares the fate of
    its node.

    Attributes:
        exponent: p of the node costs: 2 as printed, 1 for costs that obey the triangle inequality;
            0 counts the nodes that change, as `0^0` is zero here.
        node_weight: factor of the node costs; zero leaves edges alone.
    """

    exponent: NotNegative = 2.0
    node_weight: NotNegative = 1.0

    def substitution(self, left: WeightedGraph, right: WeightedGraph) -> Array:
        """Return what turning node i of `left` into node k of `right` costs, loops included,
        `[n1, n2]`.
        """
        changed = self._of_features(left.x[:, None] - right.x)
        return changed + np.abs(left.loops[:, None] - right.loops)

    def removal(self, graph: WeightedGraph) -> Array:
        """Return what deleting each node costs, or inserting it, its loop included and its edges
        not, `[n]`.
        """
        return self._of_features(graph.x) + graph.loops

    def _of_features(self, x: Array) -> Array:
        """Return `|x|^p` of vectors in the last dimension."""
        norms: Array = np.linalg.norm(x, axis=-1)
        powers = norms > 0 if self.exponent == 0 else norms**self.exponent
        return np.asarray(self.node_weight * powers)


AS_PRINTED = EditCosts()
METRIC = EditCosts(exponent=1.0)
EDGES_ONLY = EditCosts(node_weight=0.0)
UNIT = EditCosts(exponent=0.0)


Order: TypeAlias = NDArray[np.int64]
NodeMap: TypeAlias = Sequence[int]
DELETED = -1
DEARER = 1e-12


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
        change, delete = costs.substitution(left, right), costs.removal(left)[:, None]
        insert = costs.removal(right)
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

    def node_map(self, order: Order) -> tuple[int, ...]:
        """Return the partner in G2 of each node of G1, -1 for a deleted node."""
        return tuple(int(k) if k < self.n2 else DELETED for k in order[: self.n1])

    def order_of(self, node_map: NodeMap) -> Order:
        """Return an order that contains the given partners; where there is room, other nodes find
        partners too.
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
