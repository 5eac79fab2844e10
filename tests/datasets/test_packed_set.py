"""A packed dataset is the dataset."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical

from smixup.datasets import Dataset, Split, load_dataset
from smixup.datasets.catalogue import canonical_name, open_or_load, statistics
from smixup.datasets.packed_set import PackedDataset, pack_dataset
from smixup.errors import UsageError
from smixup.graphs import Graphs, pack


@pytest.fixture
def dataset(graphs: Graphs) -> Dataset:
    split = Split(torch.tensor([5, 0, 2]), torch.tensor([1, 6]), torch.tensor([3, 4]))
    return Dataset("SEVEN", graphs, "rocauc", split)


def test_everything_comes_back(dataset: Dataset, tmp_path: Path) -> None:
    opened = pack_dataset(dataset, tmp_path / "set")
    again = load_dataset(tmp_path / "set")
    assert_identical(again.graphs, dataset.graphs)
    assert (again.name, again.metric) == ("SEVEN", "rocauc")
    for part, places in vars(dataset.split).items():
        assert_identical(getattr(again.split, part), places)
    assert statistics(opened) == statistics(dataset)
    pack(dataset.graphs, tmp_path / "mine")
    plain = load_dataset(str(tmp_path / "mine"))
    assert (plain.name, plain.metric, plain.split) == ("mine", "accuracy", None)


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
    for load in (load_dataset, open_or_load):
        with pytest.raises(UsageError, match="no option 'num_graphs'"):
            load("mine", num_graphs=3)
    with pytest.raises(UsageError, match=r"unknown dataset '\./none': there is no such"):
        load_dataset("./none")
