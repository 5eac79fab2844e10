"""The GCN with features of edges is OGB's convolution, written plainly, and needs these
features.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import global_mean_pool

from smixup.classifiers import GCNEdge
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg


@pytest.fixture
def bonded(graphs: Graphs) -> Graphs:
    """Unweighted edges, each of one of four kinds."""
    adj = graphs.adj.to_sparse()
    adj = replace(adj, weight=torch.ones_like(adj.weight))
    kinds = F.one_hot((adj.row * adj.column) % 4, 4).float()
    return graphs.replace(adj=adj, edge_attrs={"edge_attr": (replace(adj, weight=kinds),)})


def ogb_convolution(layer: nn.Module, h: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
    """OGB's: `propagate(norm * relu(x_j + edge)) + relu(x + root) / deg`."""
    x = h @ layer.linear.weight.T + layer.linear.bias
    source, target = edge_index
    degree = torch.bincount(source, minlength=len(x)) + 1.0
    norm = degree[source] ** -0.5 * degree[target] ** -0.5
    message = norm.view(-1, 1) * F.relu(x[source] + edge_attr @ layer.edge_encoder.weight.T)
    out = torch.zeros_like(x).index_add(0, target, message)
    return out + F.relu(x + layer.loop) / degree.view(-1, 1)


def reference(model: GCNEdge, graphs: Graphs) -> Tensor:
    batch = to_pyg(graphs)
    h = batch.x
    for layer in model.layers:
        h = F.relu(layer.norm(ogb_convolution(layer, h, batch.edge_index, batch.edge_attr)))
    return model.head(global_mean_pool(h, batch.batch, batch.num_graphs))


@pytest.mark.parametrize("batch_norm", [False, True])
def test_logits_and_gradients_are_those_of_ogb(bonded: Graphs, batch_norm: bool) -> None:
    torch.manual_seed(0)
    model = GCNEdge(3, 2, 4, hidden_channels=8, num_layers=3, batch_norm=batch_norm)
    for layer in model.layers:
        nn.init.uniform_(layer.loop, -0.5, 0.5)
    batch = bonded[[4, 0, 1, 5]]
    outcomes = []
    for logits in (model(batch), reference(model, batch)):
        gradients = torch.autograd.grad(logits.square().sum(), list(model.parameters()))
        outcomes.append((logits, *gradients))
    torch.testing.assert_close(*outcomes, rtol=1e-4, atol=1e-5)


def test_an_edge_of_half_the_weight_counts_half(bonded: Graphs) -> None:
    """Of two nodes and one edge, everything can be written down."""
    torch.manual_seed(0)
    model = GCNEdge(3, 2, 4, hidden_channels=5, num_layers=1)
    pair = bonded.subgraph(torch.isin(torch.arange(30), torch.tensor([0, 2])))[[0]]
    adj, kinds = pair.edge_features()
    assert adj.to_dense().tolist() == [[0, 1], [1, 0]]
    half = replace(adj, weight=adj.weight / 2)
    entries = replace(half, weight=half.weight.unsqueeze(1) * kinds)
    found = model.nodes(pair.replace(adj=half, edge_attrs={"edge_attr": (entries,)}))
    layer = model.layers[0]
    h = layer.linear(pair.x)
    message = (h + layer.edge_encoder(kinds[:1])).relu().flip(0)
    expected = (0.5 / 1.5 * message + (h + layer.loop).relu() / 1.5).relu()
    torch.testing.assert_close(found, expected)


def test_signed_weights_give_finite_numbers(bonded: Graphs) -> None:
    signed = bonded.replace(
        adj=replace(bonded.adj.to_sparse(), weight=-2 * bonded.adj.to_sparse().weight)
    )
    assert GCNEdge(3, 2, 4)(signed).isfinite().all()


def test_without_features_of_edges_the_plain_backbone_is_named(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match=r"GCNEdge takes features of edges.* use .* gcn\.$"):
        GCNEdge(3, 2)
    with pytest.raises(SmixupError, match=r"use the backbone gcn\.$"):
        GCNEdge(3, 2, 4)(graphs)
