"""The graph convolution equals PyG's and the formula of Kipf and Welling."""

from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.nn import GCNConv

from smixup.classifiers import GCN
from smixup.classifiers.gcn import GCNLayer, symmetric_normalisation
from smixup.graphs import Graphs, SparseOperator


def test_normalisation_of_an_edge_by_hand() -> None:
    """One edge of weight 3: both degrees are 4; the third node is alone and keeps itself."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1], [1, 0]]), torch.tensor([3.0, 3.0]), 3)
    expected = torch.tensor([[0.25, 0.75, 0.0], [0.75, 0.25, 0.0], [0.0, 0.0, 1.0]])
    torch.testing.assert_close(symmetric_normalisation(adj).to_dense(), expected)


def test_normalisation_of_unequal_degrees_by_hand() -> None:
    """The path 0 - 1 - 2: degrees with loops 2, 3, 2."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(4), 3)
    a = 1 / math.sqrt(6)
    expected = torch.tensor([[1 / 2, a, 0], [a, 1 / 3, a], [0, a, 1 / 2]])
    torch.testing.assert_close(symmetric_normalisation(adj).to_dense(), expected)


def directed() -> SparseOperator:
    edge_index = torch.tensor([[0, 1, 3, 3], [1, 2, 0, 2]])
    return SparseOperator.from_edges(edge_index, torch.tensor([0.5, 2.0, 1.0, 3.0]), 5)


@pytest.mark.parametrize("kind", ["weighted", "unit", "directed"])
def test_layer_equals_pyg_with_equal_weights(graphs: Graphs, kind: str) -> None:
    adj = directed() if kind == "directed" else graphs.adj
    edge_index, edge_weight = adj.edges()
    if kind == "unit":
        adj, edge_weight = (
            SparseOperator.from_edges(edge_index, torch.ones_like(edge_weight), adj.shape[0]),
            None,
        )
    ours, theirs = GCNLayer(3, 8, batch_norm=False), GCNConv(3, 8)
    torch.nn.init.normal_(ours.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight, "bias": ours.bias})
    x = torch.randn(adj.shape[0], 3)
    expected = theirs(x, edge_index, edge_weight).relu()
    out = ours(x, symmetric_normalisation(adj))
    torch.testing.assert_close(out, expected)
    mine, other = (
        torch.autograd.grad(out.pow(2).sum(), [ours.linear.weight, ours.bias]),
        torch.autograd.grad(expected.pow(2).sum(), [theirs.lin.weight, theirs.bias]),
    )
    torch.testing.assert_close(mine, other)


def test_batch_norm_is_off_unless_asked_for() -> None:
    norms = [
        sum(
            isinstance(module, torch.nn.BatchNorm1d)
            for module in GCN(3, 2, batch_norm=batch_norm).modules()
        )
        for batch_norm in (False, True)
    ]
    assert norms == [0, 4]
    assert not any(isinstance(module, torch.nn.BatchNorm1d) for module in GCN(3, 2).modules())
