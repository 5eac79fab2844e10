"""A model that cannot hear edge weights is named and trains on no mixes; others are left alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphConv,
    PNAConv,
    global_mean_pool,
)

from smixup import Compose, SMixup, hears_edge_weight
from smixup.augment.weights import IgnoredEdgeWeight
from smixup.errors import SmixupError, UsageError
from smixup.matching import Identity


def graph(n: int) -> Data:
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    chords = torch.tensor([[0, 1], [2, 3]])
    edges = torch.unique(torch.cat([ring, ring.flip(0), chords, chords.flip(0)], 1), dim=1)
    attributes = torch.rand(edges.size(1), 3)
    return Data(x=torch.rand(n, 3), edge_index=edges, edge_attr=attributes, y=torch.tensor([n % 2]))


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(0)
    return Batch.from_data_list([graph(5 + i % 3) for i in range(6)])


def mixing(**settings: Any) -> SMixup:
    return SMixup(Identity(), num_classes=2, seed=0, **({"edges": "weighted"} | settings))


def warned(call: Callable[[], object]) -> list[tuple[type[Warning], str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {each.filename for each in caught} <= {__file__}, "warnings point to the user's line"
    return [(each.category, str(each.message)) for each in caught]


class Net(nn.Module):
    """One layer, called in a given way, and a readout."""

    def __init__(self, conv: nn.Module, way: str = "", norm: bool = False) -> None:
        super().__init__()
        self.conv, self.way, self.head = conv, way, nn.LazyLinear(2)
        self.norm = nn.BatchNorm1d(4) if norm else nn.Identity()

    def forward(self, batch: Batch) -> Tensor:
        weight, attributes = batch.edge_weight, batch.edge_attr
        ways: dict[str, tuple[Any, ...]] = {
            "": (),
            "attr": (attributes,),
            "weight as attr": (weight.unsqueeze(1),),
        }
        h = self.conv(batch.x, batch.edge_index, *ways[self.way])
        return self.head(global_mean_pool(self.norm(h).relu(), batch.batch))


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4))


def pna() -> nn.Module:
    return PNAConv(3, 4, ["mean", "max"], ["identity"], deg=torch.tensor([0, 1, 2, 3]), edge_dim=3)


DEAF: dict[str, tuple[Callable[[], Net], str]] = {
    "GIN": (lambda: Net(GINConv(mlp())), "put smixup.nn.WeightedGINConv in the place of conv"),
    "GINE": (lambda: Net(GINEConv(mlp()), "attr"), "conv (GINEConv)"),
    "GAT": (lambda: Net(GATConv(3, 4)), "conv (GATConv)"),
    "PNA": (lambda: Net(pna(), "attr"), "replace conv (PNAConv) by a layer with an edge_weight"),
    "GCN without them": (lambda: Net(GCNConv(3, 4)), "pass batch.edge_weight to conv (GCNConv)"),
}
HEARING: dict[str, Callable[[], Net]] = {
    "GINE with weights": lambda: Net(GINEConv(mlp(), edge_dim=1), "weight as attr"),
    "GAT with weights": lambda: Net(GATConv(3, 4, edge_dim=1), "weight as attr"),
}


@pytest.mark.parametrize("name", DEAF)
def test_deaf_models_are_named_with_what_to_do(name: str, batch: Batch) -> None:
    make, words = DEAF[name]
    model, mix = make(), mixing()
    with mix.training(model):
        mixed = mix(batch)
        ((category, message),) = warned(lambda: model(mixed))
        assert category is IgnoredEdgeWeight and words in message
        assert 'SMixup(edges="sampled")' in message
        assert warned(lambda: model(mix(batch))) == [], "once"
    assert not hears_edge_weight(model, mixed)


@pytest.mark.parametrize("name", HEARING)
def test_models_that_hear_are_left_alone(name: str, batch: Batch) -> None:
    model, mix = HEARING[name](), mixing()
    with mix.training(model):
        mixed = mix(batch)
        assert warned(lambda: model(mixed)) == []
    assert hears_edge_weight(model, mixed)


def test_once_a_model_is_known_to_be_deaf_nothing_is_mixed(batch: Batch) -> None:
    model, mix = DEAF["GIN"][0](), mixing(edges="auto")
    both = Compose([mix])
    with (
        both.training(model),
        pytest.warns(IgnoredEdgeWeight, match=r"until then, nothing is mixed\.$"),
    ):
        assert len(model(both(batch))) == 2 * batch.num_graphs
    assert both(batch).num_graphs == batch.num_graphs
    sampled = mixing(edges="sampled")
    with sampled.training(model):
        assert (sampled(batch).edge_weight == 1).all()
        assert warned(lambda: model(sampled(batch))) == []


def test_asking_a_model(batch: Batch) -> None:
    mixed, model = mixing()(batch), GraphConv(3, 4)
    assert hears_edge_weight(model, mixed, lambda b: model(b.x, b.edge_index, b.edge_weight))
    assert not hears_edge_weight(model, mixed, lambda b: model(b.x, b.edge_index))
    with pytest.raises(SmixupError, match="say how the model is called"):
        hears_edge_weight(model, mixed)
    with pytest.raises(UsageError, match="an edge_weight that is not 1 everywhere"):
        hears_edge_weight(model, batch)
    assert model.training
