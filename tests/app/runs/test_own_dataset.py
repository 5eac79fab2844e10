"""A newcomer's dataset, as in CONTRIBUTING.md: one function, one line, and a run trains on it."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from smixup.app.runs.config import configure
from smixup.app.runs.run import run
from smixup.datasets import Dataset
from smixup.datasets.sources import SOURCES
from smixup.graphs.pyg import from_pyg


def rings_dataset(num_graphs: int = 60) -> Dataset:
    """Make rings (class 1) and paths (class 0) of three to nine nodes."""
    return Dataset("RINGS", from_pyg([_graph(3 + i // 2 % 7, i % 2) for i in range(num_graphs)]))


def _graph(size: int, ring: int) -> Data:
    start = torch.arange(size - 1 + ring)
    edges = torch.stack([start, (start + 1) % size])
    return Data(edge_index=torch.cat([edges, edges.flip(0)], 1), num_nodes=size, y=ring)


def test_a_run_trains_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES.entries, "RINGS", f"{__name__}:rings_dataset")
    options = {"dataset_options": {"num_graphs": 40}, "epochs": 30, "learning_rate": 0.01}
    result = run(configure("rings", batch_size=16, **options))
    assert (result.metric, result.epochs) == ("accuracy", 30)
    assert result.validation == 1.0, "a path has ends, and a degree tells"
    assert result.curves["train_loss"][-1] < 0.1 < result.curves["train_loss"][0]
