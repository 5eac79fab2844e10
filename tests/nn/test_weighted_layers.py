"""Layers that hear weights: the layers they are named after, with edges counted in part."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GINConv, GINEConv, SAGEConv

from smixup.nn import WeightedGATConv, WeightedGINConv, WeightedGINEConv, WeightedSAGEConv

Layer = Callable[..., nn.Module]
PAIRS: dict[str, tuple[Layer, Layer, bool]] = {
    "gin": (
        lambda: GINConv(nn.Linear(3, 4), train_eps=True),
        lambda: WeightedGINConv(nn.Linear(3, 4), train_eps=True),
        False,
    ),
    "gin, mean": (
        lambda: GINConv(nn.Linear(3, 4), eps=0.5, aggr="mean"),
        lambda: WeightedGINConv(nn.Linear(3, 4), eps=0.5, aggr="mean"),
        False,
    ),
    "gine": (
        lambda: GINEConv(nn.Linear(3, 4), edge_dim=2),
        lambda: WeightedGINEConv(nn.Linear(3, 4), edge_dim=2),
        True,
    ),
    "sage": (lambda: SAGEConv(3, 4), lambda: WeightedSAGEConv(3, 4), False),
    "sage, sum": (
        lambda: SAGEConv(3, 4, aggr="add", project=True, normalize=True),
        lambda: WeightedSAGEConv(3, 4, aggr="add", project=True, normalize=True),
        False,
    ),
    "gat": (
        lambda: GATConv(3, 4, heads=2, edge_dim=2),
        lambda: WeightedGATConv(3, 4, heads=2, edge_dim=2),
        True,
    ),
    "gat, no loops": (
        lambda: GATConv(3, 4, heads=2, concat=False, add_self_loops=False, residual=True),
        lambda: WeightedGATConv(3, 4, heads=2, concat=False, add_self_loops=False, residual=True),
        True,
    ),
}
each_layer = pytest.mark.parametrize("name", PAIRS)


@pytest.fixture
def graph() -> tuple[Tensor, Tensor, Tensor]:
    random = torch.Generator().manual_seed(0)
    edge_index = torch.randint(6, (2, 14), generator=random)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    attributes = torch.randn(edge_index.size(1), 2, generator=random)
    return torch.randn(6, 3, generator=random), edge_index, attributes


def pair(name: str) -> tuple[nn.Module, Callable[..., Tensor], nn.Module]:
    """The layer of PyG, a call of ours with the same state, and ours."""
    torch.manual_seed(0)
    make, make_ours, with_attributes = PAIRS[name]
    usual, ours = make(), make_ours()
    ours.load_state_dict(usual.state_dict())

    def call(x: Any, edge_index: Tensor, edge_attr: Tensor, weight: Tensor | None) -> Tensor:
        between = (edge_attr,) if with_attributes else ()
        out: Tensor = ours(x, edge_index, *between, weight)
        return out

    def plain(x: Any, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
        out: Tensor = usual(x, edge_index, *((edge_attr,) if with_attributes else ()))
        return out

    return plain, call, ours  # type: ignore[return-value]


@each_layer
def test_weights_of_one_and_none(name: str, graph: tuple[Tensor, Tensor, Tensor]) -> None:
    plain, call, _ = pair(name)
    expected = plain(*graph)
    torch.testing.assert_close(call(*graph, None), expected)
    torch.testing.assert_close(call(*graph, torch.ones(len(graph[2]))), expected)


@each_layer
def test_an_edge_of_weight_zero_is_none(name: str, graph: tuple[Tensor, Tensor, Tensor]) -> None:
    plain, call, _ = pair(name)
    x, edge_index, edge_attr = graph
    keep = torch.arange(len(edge_attr)) % 3 > 0
    expected = plain(x, edge_index[:, keep], edge_attr[keep])
    torch.testing.assert_close(call(*graph, keep.float()), expected)


@each_layer
def test_an_edge_of_weight_two_is_two(name: str, graph: tuple[Tensor, Tensor, Tensor]) -> None:
    plain, call, _ = pair(name)
    x, edge_index, edge_attr = graph
    number = torch.arange(len(edge_attr)) % 3 + 1
    twice = number.repeat_interleave(number)
    assert len(twice) > len(number)
    places = torch.arange(len(number)).repeat_interleave(number)
    expected = plain(x, edge_index[:, places], edge_attr[places])
    torch.testing.assert_close(call(x, edge_index, edge_attr, number.float()), expected)


@each_layer
def test_gradients_reach_the_weights(name: str, graph: tuple[Tensor, Tensor, Tensor]) -> None:
    _, call, _ = pair(name)
    weight = torch.full((len(graph[2]),), 0.5, requires_grad=True)
    call(*graph, weight).square().sum().backward()
    assert weight.grad is not None
    assert (weight.grad != 0).any()


@each_layer
def test_copies_and_state(name: str, graph: tuple[Tensor, Tensor, Tensor]) -> None:
    _, call, ours = pair(name)
    weight = torch.rand(len(graph[2]), generator=torch.Generator().manual_seed(1))
    expected = call(*graph, weight)
    given = (graph[0], graph[1], *((graph[2],) if PAIRS[name][2] else ()), weight)
    for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        torch.testing.assert_close(other(*given), expected)


def test_two_sets_of_nodes() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3), torch.randn(2, 3)
    edge_index = torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])
    weight = torch.ones(4)
    for ours, usual in (
        (WeightedSAGEConv((3, 3), 4), SAGEConv((3, 3), 4)),
        (WeightedGINConv(nn.Linear(3, 4)), GINConv(nn.Linear(3, 4))),
        (
            WeightedGATConv((3, 3), 4, add_self_loops=False),
            GATConv((3, 3), 4, add_self_loops=False),
        ),
    ):
        ours.load_state_dict(usual.state_dict())
        found = ours(x, edge_index, edge_weight=weight)
        torch.testing.assert_close(found, usual(x, edge_index))
