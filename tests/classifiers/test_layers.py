"""Layers are those of PyG and OGB where edges are plain, and the formula written out elsewhere."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from small_graphs import operator
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, GINConv, GINEConv, global_mean_pool

from smixup.classifiers import GINE, GCNEdge
from smixup.classifiers.edges import EdgeMessages
from smixup.classifiers.gcn import GCNLayer, Normalised
from smixup.classifiers.gin import GINLayer
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.nn import WeightedGINEConv

close = torch.testing.assert_close


def one_way() -> SparseOperator:
    edge_index = torch.tensor([[0, 1, 3, 3], [1, 2, 0, 2]])
    return SparseOperator.from_edges(edge_index, torch.tensor([0.5, 2.0, 1.0, 3.0]), 5)


@pytest.mark.parametrize("kind", ["weighted", "unit", "directed"])
def test_gcn_is_pyg_s(graphs: Graphs, kind: str) -> None:
    adj = one_way() if kind == "directed" else graphs.adj
    edge_index, weight = adj.edges()
    if kind == "unit":
        adj, weight = replace(adj, weight=torch.ones_like(weight)), None
    ours, theirs = GCNLayer(3, 8, batch_norm=False), GCNConv(3, 8)
    nn.init.normal_(ours.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight, "bias": ours.bias})
    x = torch.randn(adj.shape[0], 3)
    out, expected = ours(x, Normalised.of(adj)), theirs(x, edge_index, weight).relu()
    close(out, expected)
    close(
        torch.autograd.grad(out.pow(2).sum(), [ours.linear.weight, ours.bias]),
        torch.autograd.grad(expected.pow(2).sum(), [theirs.lin.weight, theirs.bias]),
    )


def signed(n: int, symmetric: bool, seed: int) -> Tensor:
    """Entries of both signs, some zero, and a first row whose sum is below -1."""
    A = torch.randn(n, n, generator=torch.Generator().manual_seed(seed)).fill_diagonal_(0)
    A = torch.where(A.abs() < 0.3, 0.0, A)
    A[0] = -A[0].abs()
    return (A + A.T) / 2 if symmetric else A


def normalised(A: Tensor) -> Tensor:
    """`A_ij / sqrt(d_i d_j)`, and `1 / d_i` on the diagonal, with `d_i = 1 + sum_j |A_ij|`."""
    d = 1 + A.abs().sum(1)
    return A / torch.outer(d, d).sqrt() + torch.diag(1 / d)


@pytest.mark.parametrize("symmetric", [True, False])
def test_negative_weights_turn_messages_and_count_by_their_size(
    symmetric: bool, graphs: Graphs
) -> None:
    matrices = [signed(6, symmetric, seed) for seed in range(3)]
    sparse = operator(torch.block_diag(*matrices))
    close(Normalised.of(sparse) @ torch.eye(18), torch.block_diag(*map(normalised, matrices)))
    first, second, half = operator(matrices[0]), operator(matrices[1]), torch.full((6,), 0.5)
    mix = Normalised.of(half * first + half * second)
    close(mix @ torch.eye(6), normalised((matrices[0] + matrices[1]) / 2))
    if symmetric:
        large = (Normalised.of(operator(50 * matrices[0])) @ torch.eye(6)).double()
        assert torch.linalg.eigvalsh(large).abs().max() <= 1 + 1e-6


def gin_layer(batch_norm: bool = False) -> GINLayer:
    layer = GINLayer(3, 8, batch_norm)
    if layer.bias is not None:
        nn.init.normal_(layer.bias)
    nn.init.constant_(layer.eps, 0.3)
    return layer


def test_gin_is_the_dense_formula_and_pyg_s(graphs: Graphs) -> None:
    layer, A, x = gin_layer(), graphs.adj.to_dense(), graphs.x.clone().requires_grad_()
    out = layer(x, graphs.adj)
    hidden = (((1 + layer.eps) * x + A @ x) @ layer.first.weight.T + layer.bias).relu()
    expected = (hidden @ layer.second.weight.T + layer.second.bias).relu()
    inputs = [x, *layer.parameters()]
    mine, other = (torch.autograd.grad(result.pow(2).sum(), inputs) for result in (out, expected))
    close((out, *mine), (expected, *other), rtol=1e-4, atol=1e-4)
    edge_index, _ = graphs.adj.edges()
    adj, layer = operator((A != 0).float()), gin_layer(batch_norm=True)
    norms = nn.BatchNorm1d(8), nn.BatchNorm1d(8)
    mlp = nn.Sequential(nn.Linear(3, 8), norms[0], nn.ReLU(), nn.Linear(8, 8), norms[1], nn.ReLU())
    theirs = GINConv(mlp, eps=0.3, train_eps=True)
    for place, own in ((0, layer.first), (3, layer.second)):  # norms take biases away again
        mlp[place].load_state_dict({"weight": own.weight, "bias": torch.randn(8)})
    close(layer(graphs.x, adj), theirs(graphs.x, edge_index), rtol=1e-4, atol=1e-5)
    for own, norm in zip((layer.inner_norm, layer.outer_norm), norms, strict=True):
        close(own.running_var, norm.running_var)
    assert not {"bias", "second.bias"} & {name for name, _ in layer.named_parameters()}


@pytest.fixture
def bonded(graphs: Graphs) -> Graphs:
    """Unweighted edges, each of one of four kinds."""
    adj = graphs.adj
    adj = replace(adj, weight=torch.ones_like(adj.weight))
    kinds = F.one_hot((adj.row * adj.column) % 4, 4).float()
    return graphs.replace(adj=adj, edge_attrs={"edge_attr": kinds})


def weighted(bonded: Graphs) -> Graphs:
    adj, kinds = bonded.edge_features()
    weight = torch.rand(adj.weight.shape, generator=torch.Generator().manual_seed(0))
    adj = replace(adj, weight=weight, symmetric=False)
    return bonded.replace(adj=adj, edge_attrs={"edge_attr": weight.unsqueeze(1) * kinds})


def gine_of_pyg(model: GINE, graphs: Graphs, kind: type[GINEConv]) -> Tensor:
    batch = to_pyg(graphs)
    h, more = model.encoder(batch.x), (batch.edge_weight,) if kind is WeightedGINEConv else ()
    for layer in model.layers:
        own = (layer.first, layer.inner_norm, nn.ReLU(), layer.second, layer.outer_norm, nn.ReLU())
        parts = nn.Sequential(*map(deepcopy, own))
        conv = kind(parts, train_eps=True, edge_dim=4)
        parts.load_state_dict(nn.Sequential(*own).state_dict())
        conv.eps.data.fill_(layer.eps.item())
        bias = torch.zeros(layer.first.out_features)
        conv.lin.load_state_dict({"weight": layer.edge_encoder.weight, "bias": bias})
        h = conv(h, batch.edge_index, batch.edge_attr, *more)
    return model.head(global_mean_pool(h, batch.batch, batch.num_graphs))


@pytest.mark.parametrize("batch_norm", [False, True])
def test_gine_is_pyg_s(bonded: Graphs, batch_norm: bool) -> None:
    torch.manual_seed(0)
    model = GINE(3, 2, 4, hidden_channels=8, num_layers=3, batch_norm=batch_norm)
    for layer in model.layers:
        nn.init.constant_(layer.eps, 0.3)
    plain, heavy = bonded[[4, 0, 1, 5]], weighted(bonded)[[4, 0, 5]]
    close(model(plain), gine_of_pyg(model, plain, GINEConv), rtol=1e-5, atol=1e-5)
    close(model(heavy), gine_of_pyg(model, heavy, WeightedGINEConv), rtol=1e-5, atol=1e-5)


def ogb_convolution(layer: nn.Module, h: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
    """OGB's: `propagate(norm * relu(x_j + edge)) + relu(x + root) / deg`."""
    x, (source, target) = layer.linear(h), edge_index
    degree = torch.bincount(source, minlength=len(x)) + 1.0
    norm = degree[source] ** -0.5 * degree[target] ** -0.5
    message = norm.view(-1, 1) * F.relu(x[source] + layer.edge_encoder(edge_attr))
    out = torch.zeros_like(x).index_add(0, target, message)
    return out + F.relu(x + layer.loop) / degree.view(-1, 1)


@pytest.mark.parametrize("batch_norm", [False, True])
def test_gcn_with_features_of_edges_is_ogb_s(bonded: Graphs, batch_norm: bool) -> None:
    torch.manual_seed(0)
    model = GCNEdge(3, 2, 4, hidden_channels=8, num_layers=3, batch_norm=batch_norm)
    for layer in model.layers:
        nn.init.uniform_(layer.loop, -0.5, 0.5)
    batch = bonded[[4, 0, 1, 5]]
    data = to_pyg(batch)
    h = data.x
    for layer in model.layers:
        h = F.relu(layer.norm(ogb_convolution(layer, h, data.edge_index, data.edge_attr)))
    logits = model.head(global_mean_pool(h, data.batch, 4))
    outcomes = [
        (out, *torch.autograd.grad(out.square().sum(), list(model.parameters())))
        for out in (model(batch), logits)
    ]
    close(*outcomes, rtol=1e-4, atol=1e-5)


def test_messages_of_edges_and_their_gradients(graphs: Graphs) -> None:
    """Of directed edges, some of weight zero and some negative."""
    adj, random = graphs.adj, torch.Generator().manual_seed(3)
    m = adj.column.numel()
    weight = torch.randn(m, generator=random) * (torch.arange(m) % 5 != 0)
    features = torch.randn(m, 4, generator=random)
    edges = EdgeMessages(replace(adj, weight=weight, symmetric=False), features)
    h, encoder = (torch.randn(s, generator=random).requires_grad_() for s in ((30, 5), (5, 4)))
    messages = (h[edges.adj.column] + edges.features @ encoder.T).relu()
    plain = torch.zeros_like(h).index_add(0, edges.adj.row, edges.adj.weight[:, None] * messages)
    sums = edges.sums(h, encoder)
    outcomes = [(o, *torch.autograd.grad(o.square().sum(), (h, encoder))) for o in (sums, plain)]
    close(*outcomes, rtol=1e-4, atol=1e-4)
