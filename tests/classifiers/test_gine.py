"""GINE is PyG's `GINEConv`, layer by layer, and needs features of edges."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GINEConv, global_mean_pool

from smixup.classifiers import GINE
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg, to_pyg
from smixup.nn import WeightedGINEConv


@pytest.fixture
def bonded(graphs: Graphs) -> Graphs:
    """Unweighted edges, each of one of four kinds."""
    adj = graphs.adj.to_sparse()
    adj = replace(adj, weight=torch.ones_like(adj.weight))
    kinds = F.one_hot((adj.row * adj.column) % 4, 4).float()
    return graphs.replace(adj=adj, edge_attrs={"edge_attr": (replace(adj, weight=kinds),)})


def convolution(layer: nn.Module, conv: type[GINEConv]) -> GINEConv:
    """PyG's layer with the weights of ours."""
    own = (layer.first, layer.inner_norm, nn.ReLU(), layer.second, layer.outer_norm, nn.ReLU())
    parts = nn.Sequential(*map(deepcopy, own))
    made = conv(parts, train_eps=True, edge_dim=layer.edge_encoder.in_features)
    parts.load_state_dict(nn.Sequential(*own).state_dict())
    made.eps.data.fill_(layer.eps.item())
    made.lin.load_state_dict(
        {"weight": layer.edge_encoder.weight, "bias": torch.zeros(layer.first.out_features)}
    )
    return made


def outcome(model: GINE, graphs: Graphs) -> tuple[Tensor, ...]:
    """Logits, and gradients of what all layers have."""
    logits = model(graphs)
    weights = [(each.edge_encoder.weight, each.first.weight, each.eps) for each in model.layers]
    weights += [(model.encoder.weight,)]
    wanted = [value for part in weights for value in part]
    return logits, *torch.autograd.grad(logits.square().sum(), wanted)


def reference(model: GINE, graphs: Graphs, kind: type[GINEConv]) -> tuple[Tensor, ...]:
    """The same by PyG."""
    batch = to_pyg(graphs)
    convs = [convolution(layer, kind) for layer in model.layers]
    h = model.encoder(batch.x)
    more = (batch.edge_weight,) if kind is WeightedGINEConv else ()
    for conv in convs:
        h = conv(h, batch.edge_index, batch.edge_attr, *more)
    logits = model.head(global_mean_pool(h, batch.batch, batch.num_graphs))
    weights = [(conv.lin.weight, conv.nn[0].weight, conv.eps) for conv in convs]
    weights += [(model.encoder.weight,)]
    wanted = [value for part in weights for value in part]
    found = torch.autograd.grad(logits.square().sum(), wanted)
    return logits, *(each.squeeze(0) if each.shape == (1,) else each for each in found)


def made(batch_norm: bool) -> GINE:
    torch.manual_seed(0)
    model = GINE(3, 2, 4, hidden_channels=8, num_layers=3, batch_norm=batch_norm)
    for layer in model.layers:
        nn.init.constant_(layer.eps, 0.3)
    return model


@pytest.mark.parametrize("batch_norm", [False, True])
def test_logits_and_gradients_are_those_of_pyg(bonded: Graphs, batch_norm: bool) -> None:
    model, batch = made(batch_norm), bonded[[4, 0, 1, 5]]
    expected = reference(model, batch, GINEConv)
    torch.testing.assert_close(outcome(model, batch), expected, rtol=1e-5, atol=1e-5)


def test_weighted_edges_are_those_of_our_layer_for_pyg(bonded: Graphs) -> None:
    adj, kinds = bonded.edge_features()
    weight = torch.rand(adj.weight.shape, generator=torch.Generator().manual_seed(0))
    weighted = replace(adj, weight=weight, symmetric=False)
    entries = replace(weighted, weight=weight.unsqueeze(1) * kinds)
    batch = bonded.replace(adj=weighted, edge_attrs={"edge_attr": (entries,)})[[4, 0, 5]]
    model = made(False)
    expected = reference(model, batch, WeightedGINEConv)
    torch.testing.assert_close(outcome(model, batch), expected, rtol=1e-5, atol=1e-5)


def test_one_hot_features_are_sums_of_embeddings(bonded: Graphs) -> None:
    model = made(False)
    layer = model.layers[0]
    codes = torch.tensor([[0, 2], [1, 3]])
    table = layer.edge_encoder.weight.T
    one_hot = F.one_hot(codes, 4).sum(1).float()
    torch.testing.assert_close(layer.edge_encoder(one_hot), F.embedding(codes, table).sum(1))


def test_kinds_of_edges_matter(bonded: Graphs) -> None:
    model, batch = made(True).eval(), bonded[[4]]
    entries = batch.edge_attrs["edge_attr"][0].to_sparse()
    other = replace(entries, weight=entries.weight.roll(1, 1))
    assert not torch.allclose(
        model(batch), model(batch.replace(edge_attrs={"edge_attr": (other,)}))
    )


def test_without_features_of_edges_the_plain_backbone_is_named(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match=r"GINE takes features of edges.* none: use .* gin\.$"):
        GINE(3, 2)
    with pytest.raises(SmixupError, match=r"use the backbone gin\.$"):
        GINE(3, 2, 4)(graphs)


def test_other_features_than_it_was_made_for_are_refused(bonded: Graphs) -> None:
    with pytest.raises(SmixupError, match="have 4 features, and GINE was made for 5"):
        GINE(3, 2, 5)(bonded)


def test_graphs_of_pyg_go_in_with_their_edge_attr() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    data = [Data(torch.ones(2, 3), edges, torch.rand(2), y=torch.tensor([k])) for k in (0, 1)]
    graphs = from_pyg(data)
    assert graphs.num_edge_features == 1
    assert GINE(3, 2, graphs.num_edge_features)(graphs).shape == (2, 2)


def test_no_layer_at_all_reads_nodes_alone(bonded: Graphs) -> None:
    assert GINE(3, 2, 4, num_layers=0)(bonded).shape == (7, 2)
