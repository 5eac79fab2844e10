"""The graphs whose distance is measured: dense weights and features, in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smixup.errors import SmixupError

if TYPE_CHECKING:
    from torch_geometric.data import Data

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
        """Take matrices of any library; without features nodes cost nothing.

        Args:
            adj: weights `[n, n]`.
            x: features `[n, d]`.
        """
        weights = np.array(adj, dtype=np.float64)
        _check_weights(weights)
        n = len(weights)
        features = np.zeros((n, 0)) if x is None else np.array(x, dtype=np.float64)
        if features.ndim != 2 or len(features) != n:
            raise SmixupError(
                f"features must be one row per node, [{n}, d], not {list(features.shape)}."
            )
        return cls((weights + weights.T) / 2, features)

    @classmethod
    def from_batch(cls, batch: Graphs) -> WeightedGraph:
        """Take the one graph of a batch."""
        if len(batch) != 1:
            raise SmixupError(
                f"a distance is between two graphs: give a batch of one graph, not of {len(batch)}."
            )
        return cls.of(batch.adj.to_dense().detach().cpu().numpy(), batch.x.detach().cpu().numpy())

    @classmethod
    def from_pyg(cls, data: Data) -> WeightedGraph:
        """Take a PyG `Data`; edges without `edge_weight` weigh one."""
        n = int(data.num_nodes or 0)
        weights = np.zeros((n, n))
        if data.edge_index is not None:
            values = 1.0 if data.edge_weight is None else data.edge_weight.detach().cpu().numpy()
            source, target = data.edge_index.cpu().numpy()
            np.add.at(weights, (target, source), values)
        return cls.of(
            weights, None if data.x is None else data.x.detach().cpu().numpy().reshape(n, -1)
        )

    def __len__(self) -> int:
        return len(self.adj)

    @property
    def num_edges(self) -> int:
        """Edges between different nodes."""
        return int(np.count_nonzero(np.triu(self.adj, 1)))

    @property
    def loops(self) -> Array:
        """Weights of the self-loops `[n]`."""
        return self.adj.diagonal()

    def mixed_with(self, other: WeightedGraph, lam: float) -> WeightedGraph:
        """Return `lam` of this graph and `1 - lam` of another on the same nodes, Eq. (5)."""
        return WeightedGraph(
            lam * self.adj + (1 - lam) * other.adj, lam * self.x + (1 - lam) * other.x
        )

    def without_dust(self, threshold: float) -> WeightedGraph:
        """Return the graph without edges lighter than `threshold`."""
        return WeightedGraph(np.where(self.adj < threshold, 0.0, self.adj), self.x)


def _check_weights(weights: Array) -> None:
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise SmixupError(f"an adjacency must be square, [n, n], not {list(weights.shape)}.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise SmixupError("edge weights must be finite and not negative for an edit distance.")
    if not np.allclose(weights, weights.T, atol=ROUNDING):
        raise SmixupError(
            "the edit distance is of undirected graphs, and this adjacency is not symmetric: "
            "give both directions of every edge the same weight."
        )
