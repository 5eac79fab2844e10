"""The isomorphism layer equals PyG's on unit weights and the dense formula on any."""

from __future__ import annotations

import torch
from torch import nn
from torch_geometric.nn import GINConv

from smixup.classifiers import GIN
from smixup.classifiers.gin import GINLayer
from smixup.graphs import Graphs, SparseOperator


def layer(batch_norm: bool = False) -> GINLayer:
    made = GINLayer(3, 8, batch_norm)
    if made.bias is not None:
        nn.init.normal_(made.bias)
    nn.init.constant_(made.eps, 0.3)
    return made


def test_one_edge_by_hand() -> None:
    """eps 0.5, edge weight 2, identity maps: 1.5 * 1 + 2 * 10 and 1.5 * 10 + 2 * 1."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1], [1, 0]]), torch.tensor([2.0, 2.0]), 2)
    made = GINLayer(1, 1, batch_norm=False)
    assert made.bias is not None
    for parameter, value in ((made.eps, 0.5), (made.first.weight, 1.0), (made.second.weight, 1.0)):
        nn.init.constant_(parameter, value)
    nn.init.constant_(made.bias, 0.25)
    nn.init.constant_(made.second.bias, -1.0)
    out = made(torch.tensor([[1.0], [10.0]]), adj)
    assert out.flatten().tolist() == [21.5 + 0.25 - 1, 17.0 + 0.25 - 1]


def test_weighted_layer_equals_the_dense_formula(graphs: Graphs) -> None:
    made, A, x = layer(), graphs.adj.to_dense(), graphs.x.clone().requires_grad_()
    out = made(x, graphs.adj)
    hidden = (((1 + made.eps) * x + A @ x) @ made.first.weight.T + made.bias).relu()
    expected = (hidden @ made.second.weight.T + made.second.bias).relu()
    torch.testing.assert_close(out, expected)
    inputs = [x, *made.parameters()]
    mine, other = (torch.autograd.grad(result.pow(2).sum(), inputs) for result in (out, expected))
    torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)


def test_layer_equals_pyg_on_unit_weights(graphs: Graphs) -> None:
    """PyG's has biases, which the norms take away again."""
    edge_index, weight = graphs.adj.edges()
    adj = SparseOperator.from_edges(edge_index, torch.ones_like(weight), graphs.x.size(0))
    made = layer(batch_norm=True)
    norms = nn.BatchNorm1d(8), nn.BatchNorm1d(8)
    mlp = nn.Sequential(nn.Linear(3, 8), norms[0], nn.ReLU(), nn.Linear(8, 8), norms[1], nn.ReLU())
    theirs = GINConv(mlp, eps=0.3, train_eps=True)
    mlp[0].load_state_dict({"weight": made.first.weight, "bias": torch.randn(8)})
    mlp[3].load_state_dict({"weight": made.second.weight, "bias": torch.randn(8)})
    torch.testing.assert_close(
        made(graphs.x, adj), theirs(graphs.x, edge_index), rtol=1e-4, atol=1e-5
    )
    for mine, other in zip((made.inner_norm, made.outer_norm), norms, strict=True):
        torch.testing.assert_close(mine.running_var, other.running_var)


def test_there_is_a_bias_where_no_norm_takes_it_away() -> None:
    assert [
        name
        for name, _ in layer(batch_norm=True).named_parameters()
        if name in ("bias", "second.bias")
    ] == []
    assert [name for name, _ in layer().named_parameters() if "bias" in name] == [
        "bias",
        "second.bias",
    ]


def test_eps_is_learnt_in_every_layer(graphs: Graphs) -> None:
    model = GIN(3, 2)
    model(graphs[[0, 4, 5]]).pow(2).sum().backward()
    assert all(each.eps.grad is not None and each.eps.grad.shape == () for each in model.layers)
    assert any(each.eps.grad.abs() > 0 for each in model.layers)


def test_directed_gradient_by_finite_differences() -> None:
    adj = SparseOperator.from_edges(
        torch.tensor([[0, 1, 3], [1, 2, 0]]), torch.tensor([0.5, 2.0, 1.0]), 4
    )
    made = layer().double()
    made.requires_grad_(False)
    x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    eps = made.eps.detach().clone().requires_grad_()

    def run(x: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = torch.func.functional_call(made, {"eps": eps}, (x, adj))
        return out

    assert torch.autograd.gradcheck(run, (x, eps))


def test_batch_norm_is_on_unless_refused() -> None:
    assert sum(isinstance(module, nn.BatchNorm1d) for module in GIN(3, 2).modules()) == 8
    assert not any(
        isinstance(module, nn.BatchNorm1d) for module in GIN(3, 2, batch_norm=False).modules()
    )


def test_the_gradient_of_eps_in_half_width(graphs: Graphs) -> None:
    """Of thousands of products of bf16, a sum in bf16 would keep two digits."""
    made = layer(batch_norm=False)
    h = torch.randn(graphs.num_nodes, 3)
    made(h, graphs.adj).sum().backward()
    expected, made.eps.grad = made.eps.grad.clone(), None
    with torch.autocast("cpu", torch.bfloat16):
        made(h, graphs.adj).float().sum().backward()
    assert made.eps.grad.dtype == torch.float
    torch.testing.assert_close(made.eps.grad, expected, rtol=0.03, atol=0.1)
