"""A packed dataset is the dataset."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from packed_kinds import assert_identical

from smixup.datasets import Dataset, Split, load_dataset
from smixup.datasets.catalogue import canonical_name, open_or_load, statistics
from smixup.datasets.packed_set import PackedDataset, open_packed_dataset, pack_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, pack


@pytest.fixture
def dataset(graphs: Graphs) -> Dataset:
    split = Split(torch.tensor([5, 0, 2]), torch.tensor([1, 6]), torch.tensor([3, 4]))
    return Dataset("SEVEN", graphs, "rocauc", split, unused_attributes=4)


def test_everything_comes_back(dataset: Dataset, tmp_path: Path) -> None:
    pack_dataset(dataset, tmp_path / "set")
    again = load_dataset(tmp_path / "set")
    assert_identical(again.graphs, dataset.graphs)
    assert (again.name, again.metric, again.unused_attributes) == ("SEVEN", "rocauc", 4)
    assert again.split is not None
    assert dataset.split is not None
    for part in ("train", "validation", "test"):
        assert_identical(getattr(again.split, part), getattr(dataset.split, part))


def test_graphs_packed_by_a_program(graphs: Graphs, tmp_path: Path) -> None:
    pack(graphs, tmp_path / "mine")
    found = load_dataset(str(tmp_path / "mine"))
    assert (found.name, found.metric, found.split) == ("mine", "accuracy", None)


def test_statistics_part_by_part(dataset: Dataset, tmp_path: Path) -> None:
    packed = pack_dataset(dataset, tmp_path / "set")
    assert isinstance(packed, PackedDataset)
    assert statistics(packed) == statistics(dataset)


def test_names_and_folders(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pack_dataset(dataset, Path("MOTIF"))
    pack_dataset(dataset, Path("mine"))
    assert canonical_name("motif") == "MOTIF"
    assert load_dataset("MOTIF", num_graphs=3).name == "MOTIF", "a known name is that"
    assert load_dataset("./MOTIF").name == load_dataset(Path("MOTIF")).name == "SEVEN"
    assert load_dataset("mine").name == "SEVEN"
    assert isinstance(open_or_load("./MOTIF"), PackedDataset)
    assert isinstance(open_or_load("MOTIF", num_graphs=3), Dataset)
    with pytest.raises(UsageError, match="no option 'num_graphs'"):
        load_dataset("mine", num_graphs=3)
    with pytest.raises(UsageError, match="no option 'num_graphs'"):
        open_or_load("mine", num_graphs=3)
    with pytest.raises(UsageError, match=r"unknown dataset '\./none': there is no such"):
        load_dataset("./none")


def test_damage_is_found_before_training(dataset: Dataset, tmp_path: Path) -> None:
    pack_dataset(dataset, tmp_path / "set")
    np.save(tmp_path / "set" / "x.npy", np.zeros((3, 3), np.float32))
    with pytest.raises(SmixupError, match=r"x\.npy has the shape \[3, 3\].*pack them again"):
        open_packed_dataset(tmp_path / "set")
    (tmp_path / "set" / "split.test.npy").unlink()
    with pytest.raises(SmixupError, match="pack them again"):
        load_dataset(tmp_path / "set")
