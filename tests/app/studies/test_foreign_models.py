"""The foreign models have just the part that mixing could harm."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import TopKPooling

from smixup.app.studies.foreign_models import MODELS
from smixup.augment import hears_edge_weight


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(0)
    ring = torch.stack([torch.arange(6), (torch.arange(6) + 1) % 6])
    edges = torch.cat([ring, ring.flip(0)], 1)
    data = [
        Data(x=torch.rand(6, 3), edge_index=edges, edge_weight=torch.rand(12)) for _ in range(4)
    ]
    return Batch.from_data_list(data)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_classifies_and_learns(name: str, batch: Batch) -> None:
    if name == "embedded codes":
        batch.x = batch.x.argmax(1)
    model = MODELS[name](3, 2)
    logits = model(batch)
    assert logits.shape == (4, 2)
    logits.sum().backward()
    assert all(each.grad is not None for each in model.parameters())


@pytest.mark.parametrize("name", MODELS)
def test_all_but_one_hear_weights(name: str, batch: Batch) -> None:
    if name == "embedded codes":
        batch.x = batch.x.argmax(1)
    assert hears_edge_weight(MODELS[name](3, 2), batch) == (name != "GINConv")


def test_what_each_is_there_for() -> None:
    kinds = {
        "batch norm": nn.BatchNorm1d,
        "GINConv": nn.BatchNorm1d,
        "embedded codes": nn.Embedding,
        "TopK pooling": TopKPooling,
    }
    for name, kind in kinds.items():
        assert any(isinstance(each, kind) for each in MODELS[name](3, 2).modules())
