"""The benchmark trains both sides on all graphs; its speed is not tested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch_geometric.loader import DataLoader

from smixup.app.bench import settings as module
from smixup.app.bench.pyg_way import PlainGCN, data_list
from smixup.app.bench.settings import Settings
from smixup.app.bench.vanilla import compare_vanilla, epoch_over
from smixup.classifiers import GCN
from smixup.datasets import Dataset
from smixup.graphs import Graphs


def test_every_dataset_with_every_backbone(
    monkeypatch: pytest.MonkeyPatch, make_graphs: Callable[..., Graphs]
) -> None:
    def tiny(name: str, root: Path | None) -> Dataset:
        return Dataset(name, make_graphs([3, 4, 5, 6]))

    monkeypatch.setattr(module, "load_dataset", tiny)
    found = list(compare_vanilla(Settings(("NCI1", "IMDB-BINARY"), 1, None, None, pytest.fail)))
    assert [(each.dataset, each.case) for each in found] == [
        ("NCI1", "gcn"),
        ("NCI1", "gin"),
        ("IMDB-BINARY", "gcn"),
        ("IMDB-BINARY", "gin"),
    ]
    assert all(each.ours > 0 and each.reference > 0 and each.unit == "graphs/s" for each in found)
    assert {each.benchmark for each in found} == {"vanilla"}


def test_an_epoch_of_either_side_changes_the_weights(graphs: Graphs) -> None:
    ours, plain = GCN(3, 2), PlainGCN(3, 2)
    before = [[parameter.clone() for parameter in model.parameters()] for model in (ours, plain)]
    epoch_over(ours, lambda: graphs.batches(4, torch.Generator().manual_seed(0)))()
    epoch_over(plain, lambda: DataLoader(data_list(graphs), 4))()
    for model, old in zip((ours, plain), before, strict=True):
        assert any(
            not torch.equal(new, each) for new, each in zip(model.parameters(), old, strict=True)
        )
