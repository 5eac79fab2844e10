"""Graphs come from batches, from PyG and from matrices, and are undirected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import SmixupError
from smixup.graphs import Graphs


def test_from_a_batch_of_one(graphs: Graphs) -> None:
    batch = graphs[[4]]
    graph = WeightedGraph.from_batch(batch)
    assert len(graph) == 9
    assert np.allclose(graph.adj, batch.adj.to_dense().numpy())
    assert np.allclose(graph.x, batch.x.numpy())
    with pytest.raises(SmixupError, match="batch of one graph, not of 2"):
        WeightedGraph.from_batch(graphs[[0, 1]])


def test_from_pyg_with_weights_and_without() -> None:
    edge_index = torch.tensor([[0, 1, 2], [1, 0, 2]])
    plain = WeightedGraph.from_pyg(Data(edge_index=edge_index, num_nodes=3))
    assert plain.adj.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert (plain.x.shape, plain.num_edges, plain.loops.tolist()) == ((3, 0), 1, [0, 0, 1])
    weighted = Data(
        edge_index=edge_index,
        edge_weight=torch.tensor([0.5, 0.5, 2.0]),
        x=torch.tensor([1.0, 2.0, 3.0]),
    )
    graph = WeightedGraph.from_pyg(weighted)
    assert (graph.adj[0, 1], graph.adj[2, 2], graph.x.tolist()) == (0.5, 2.0, [[1], [2], [3]])
    assert len(WeightedGraph.from_pyg(Data(num_nodes=2))) == 2


@pytest.mark.parametrize(
    ("adj", "message"),
    [
        ([[0, 1], [0, 0]], "not symmetric"),
        ([[0, -1], [-1, 0]], "not negative"),
        ([[0, np.nan], [np.nan, 0]], "finite"),
        ([[0, 1]], r"square, \[n, n\], not \[1, 2\]"),
    ],
)
def test_other_matrices_are_an_error(adj: list[list[float]], message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        WeightedGraph.of(adj)


def test_features_are_one_row_per_node() -> None:
    with pytest.raises(SmixupError, match=r"\[2, d\], not \[3, 1\]"):
        WeightedGraph.of(np.zeros((2, 2)), np.zeros((3, 1)))


def test_mixing_is_linear_and_dust_goes(random_graph: Callable[..., WeightedGraph]) -> None:
    random = np.random.default_rng(0)
    left, right = random_graph(4, random), random_graph(4, random)
    mixed = left.mixed_with(right, 0.25)
    assert np.allclose(mixed.adj, 0.25 * left.adj + 0.75 * right.adj)
    assert np.allclose(mixed.x, 0.25 * left.x + 0.75 * right.x)
    assert left.mixed_with(right, 1.0).adj.tolist() == left.adj.tolist()
    clean = WeightedGraph.of([[0, 0.1], [0.1, 0.5]]).without_dust(0.2)
    assert clean.adj.tolist() == [[0, 0], [0, 0.5]]
