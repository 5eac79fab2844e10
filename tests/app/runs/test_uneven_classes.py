"""Who has nearly all graphs in one class is told that accuracy says little."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.app.runs.uneven_classes import uneven_classes
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.tasks import Classes, Values


def dataset(shares: list[int]) -> Dataset:
    """So many graphs of each class."""
    y = torch.eye(len(shares)).repeat_interleave(torch.tensor(shares), 0)
    found = load_dataset("MOTIF", num_graphs=sum(shares))
    return replace(found, graphs=found.graphs.replace(y=y))


def test_nearly_all_graphs_of_one_class() -> None:
    assert uneven_classes(dataset([2, 38]), "accuracy") == (
        "95% of the graphs are of one class, so that who always says it has an accuracy of 95%: "
        "--metric rocauc or --metric balanced-accuracy tells more here."
    )
    named = replace(dataset([2, 38]), task=Classes(("no", "yes")))
    assert uneven_classes(named, "accuracy")


@pytest.mark.parametrize(
    ("shares", "metric"),
    [([5, 35], "accuracy"), ([2, 38], "rocauc"), ([20, 10, 10], "accuracy"), ([40], "accuracy")],
)
def test_nothing_is_said_otherwise(shares: list[int], metric: str) -> None:
    assert uneven_classes(dataset(shares), metric) == ""


def test_graphs_that_stay_on_disk(tmp_path: Path) -> None:
    packed = pack_dataset(dataset([2, 38]), tmp_path / "packed")
    assert uneven_classes(packed, "accuracy").startswith("95% of the graphs")


def test_values_are_no_classes() -> None:
    assert uneven_classes(replace(dataset([2, 38]), task=Values(("a", "b"))), "accuracy") == ""
