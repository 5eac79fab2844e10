"""Features of graphs on disk are those that the same graphs have in memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
import torch

from smixup.datasets.features import StandardisedDegree, encode_features
from smixup.datasets.label_corruption import corrupt_labels
from smixup.datasets.packed_features import encode_packed
from smixup.graphs import Graphs, packed
from smixup.graphs.packing import pack

TRAIN = torch.tensor([4, 0, 2])


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = packed.PackedGraphs.parts
    monkeypatch.setattr(packed.PackedGraphs, "parts", lambda self, number=2: parts(self, number))


def compare(graphs: Graphs, folder: Path, train: torch.Tensor = TRAIN) -> Graphs:
    expected = encode_features(graphs, train)
    on_disk = encode_packed(pack(graphs, folder), train)
    index = [3, 0, 4, 1]
    found = on_disk[index]
    assert found.x.dtype == expected.x.dtype
    torch.testing.assert_close(found.x, expected[index].x, rtol=1e-6, atol=1e-6)
    assert on_disk.num_features == expected.num_features
    again = pickle.loads(pickle.dumps(on_disk))
    assert torch.equal(again[index].x, found.x)
    return found


def test_one_hot_degrees(from_networkx: Callable[..., Graphs], tmp_path: Path) -> None:
    graphs = from_networkx([nx.star_graph(n) for n in (3, 9, 5, 2, 4)], width=0)
    found = compare(graphs, tmp_path / "set")
    assert found.num_features == 6, "the star of nine is not trained on"
    assert found.x.dtype == torch.uint8
    assert found.degree_encoding == encode_features(graphs, TRAIN).degree_encoding


def test_large_degrees_are_standardised(
    from_networkx: Callable[..., Graphs], tmp_path: Path
) -> None:
    graphs = from_networkx([nx.star_graph(n) for n in (3, 9, 1005, 2, 4)], width=0)
    found = compare(graphs, tmp_path / "set")
    assert isinstance(found.degree_encoding, StandardisedDegree)


def test_continuous_columns(graphs: Graphs, tmp_path: Path) -> None:
    x = graphs.x.clone()
    x[:, 1] = (x[:, 1] > 0).float()
    x[:, 2] = x[:, 2] * 1e-3 + 1e3
    compare(graphs.replace(x=x), tmp_path / "mixed")
    x[:, 0] = 7.0
    compare(graphs.replace(x=x), tmp_path / "constant")


def test_bytes_stay(graphs: Graphs, tmp_path: Path) -> None:
    graphs = graphs.replace(x=(graphs.x > 0).to(torch.uint8))
    assert compare(graphs, tmp_path / "set").x.dtype == torch.uint8


def test_graphs_without_edges_or_nothing_to_train_on(graphs: Graphs, tmp_path: Path) -> None:
    bare = graphs.replace(x=graphs.x[:, :0])
    compare(bare, tmp_path / "single", torch.tensor([1]))


def test_corrupted_labels_are_the_same(graphs: Graphs, tmp_path: Path) -> None:
    train = pack(graphs, tmp_path / "set").subset(TRAIN)
    for seed in range(3):
        expected = corrupt_labels(graphs[TRAIN], 0.6, seed)
        found = corrupt_labels(train, 0.6, seed)
        assert torch.equal(found[:].y, expected.y)
        assert torch.equal(found.labels, expected.labels)
    assert corrupt_labels(train, 0.0, 0) is train
