"""Graphs in memory become a dataset under a name that tells what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.app.studies.in_memory import as_dataset
from smixup.datasets import Dataset, load_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.packing import pack
from smixup.graphs.pyg import to_pyg


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=12).graphs


def test_names_and_paths_stay(tmp_path: Path) -> None:
    assert as_dataset("MUTAG", tmp_path) == "MUTAG"
    assert as_dataset(tmp_path / "own", tmp_path) == str(tmp_path / "own")
    assert not list(tmp_path.iterdir())


def test_the_same_graphs_have_one_folder(tmp_path: Path, graphs: Graphs) -> None:
    first, again = as_dataset(graphs, tmp_path), as_dataset(graphs, tmp_path)
    other = as_dataset(graphs[:11], tmp_path)
    assert first == again != other
    assert sorted(str(each) for each in tmp_path.iterdir()) == sorted({first, other})
    assert torch.equal(load_dataset(first).graphs.y, graphs.y)


def test_a_dataset_keeps_its_metric(tmp_path: Path, graphs: Graphs) -> None:
    name = as_dataset(Dataset("mine", graphs, "rocauc"), tmp_path)
    loaded = load_dataset(name)
    assert (loaded.name, loaded.metric) == ("mine", "rocauc")


def test_pyg_graphs(tmp_path: Path, graphs: Graphs) -> None:
    batch = to_pyg(graphs)
    name = as_dataset(batch.to_data_list(), tmp_path)
    assert len(load_dataset(name).graphs) == 12


def test_packed_graphs_are_where_they_are_unless_some_are_left_out(
    tmp_path: Path, graphs: Graphs
) -> None:
    packed = pack(graphs, tmp_path / "own")
    assert as_dataset(packed, tmp_path / "cache") == str(tmp_path / "own")
    some = as_dataset(packed.subset(torch.arange(6)), tmp_path / "cache")
    assert Path(some).parent == tmp_path / "cache"
    assert len(load_dataset(some).graphs) == 6


def test_what_is_no_graph_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(SmixupError):
        as_dataset(3, tmp_path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
