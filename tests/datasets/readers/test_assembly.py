"""Arrays become graphs, and graphs a dataset that can be packed and read again."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from smixup import from_pyg
from smixup.datasets.packed_set import open_packed_dataset, pack_dataset
from smixup.datasets.readers.assembly import counted, dataset_of, graphs_of, offsets_of
from smixup.datasets.readers.label_table import Answers, known_task
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.tasks import Labels, Values

EDGES = [torch.tensor([[0, 1, 1], [1, 0, 2]]), torch.tensor([[0, 1], [1, 0]])]


def made() -> Graphs:
    torch.manual_seed(0)
    x, weight, attributes = torch.rand(5, 2), torch.randn(5), torch.rand(5, 3)
    edge_index = torch.cat([EDGES[0], EDGES[1] + 3], 1)
    return graphs_of(offsets_of([3, 2]), x, edge_index, weight, attributes)


def test_arrays_become_what_pyg_graphs_become() -> None:
    torch.manual_seed(0)
    x, weight, attributes = torch.rand(5, 2), torch.randn(5), torch.rand(5, 3)
    expected = from_pyg(
        [
            Data(x=x[:3], edge_index=EDGES[0], edge_weight=weight[:3], edge_attr=attributes[:3]),
            Data(x=x[3:], edge_index=EDGES[1], edge_weight=weight[3:], edge_attr=attributes[3:]),
        ]
    )
    found = made()
    assert found.fingerprint() == expected.fingerprint()
    assert set(found.edge_attrs) == set(expected.edge_attrs)
    for ours, theirs in zip(
        found.edge_attrs["edge_attr"], expected.edge_attrs["edge_attr"], strict=True
    ):
        assert torch.equal(ours.to_sparse().weight, theirs.to_sparse().weight)


def test_a_dataset_survives_packing(tmp_path: Path) -> None:
    nan = float("nan")
    found = Answers(
        Labels(("p", "q")), torch.tensor([[1.0, nan], [0.0, 1.0]]), {"name": ("a", "b")}, ("p", "q")
    )
    whole = dataset_of(tmp_path, made(), found, "graphml", {"ignore": "z"}, {"nodes": {}}, ["N."])
    assert whole.notes == ("N.",) and whole.metric == "rocauc" and not whole.graphs.has_classes
    again = pack_dataset(whole, tmp_path / "packed")
    assert open_packed_dataset(tmp_path / "packed").task == whole.task
    assert again.reading is not None and whole.reading is not None
    assert again.reading.options == whole.reading.options
    assert known_task(again.reading) == whole.task and dict(again.table) == dict(whole.table)


def test_a_metric_that_does_not_suit_is_told(tmp_path: Path) -> None:
    found = Answers(Values(("e",)), torch.zeros(2, 1))
    assert dataset_of(tmp_path, made(), found, "any", {"metric": "r2"}, {}, []).metric == "r2"
    with pytest.raises(UsageError, match="metric must be one of mae, rmse, r2 here, not accuracy"):
        dataset_of(tmp_path, made(), found, "any", {"metric": "accuracy"}, {}, [])


def test_numbers_have_their_noun() -> None:
    assert (
        counted(1, "edge", "edges") == "1 edge" and counted(1234, "edge", "edges") == "1,234 edges"
    )
