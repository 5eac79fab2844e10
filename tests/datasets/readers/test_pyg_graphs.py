"""Lists of PyG graphs as a dataset: which task their targets tell, and new ones read alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.label_table import answers_of_array
from smixup.datasets.readers.pyg_graphs import pyg_dataset
from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Task, Values


def pair(y: Any = None, x: torch.Tensor | None = None) -> Data:
    """Two nodes and an edge."""
    edges = torch.tensor([[0, 1], [1, 0]])
    return Data(torch.eye(2) if x is None else x, edges, y=None if y is None else torch.tensor(y))


def read(
    graphs: list[Data], like: Reading | None = None, answered: Any = None, **options: Any
) -> Dataset:
    asked = {"encode": None, "task": ""} | options
    return pyg_dataset(graphs, Path("mine"), "saved", answered, asked, {}, like)


@pytest.mark.parametrize(
    ("targets", "task"),
    [
        ([[0], [2], [1]], Classes.numbered(3)),
        ([[0.5], [2.0], [1.0]], Values(("target 0",))),
        ([[[0.5, 1.0]], [[2.0, 1.0]]], Values(("target 0", "target 1"))),
        ([[[1.0, 0.0]], [[1.0, 1.0]], [[0.0, float("nan")]]], Labels(("target 0", "target 1"))),
        ([[1.0], [0.0]], Values(("target 0",))),
    ],
)
def test_the_task_is_seen_from_the_numbers(targets: list[Any], task: Task) -> None:
    found = read([pair(y) for y in targets])
    assert found.task == task
    assert found.graphs.has_classes == isinstance(task, Classes)
    assert len(found.notes) == 1, "it says what it took them for"


def test_a_task_that_is_said_counts() -> None:
    found = read([pair([3]), pair([5]), pair([3])], task="values")
    assert isinstance(found.task, Values)
    assert found.graphs.y.flatten().tolist() == [3.0, 5.0, 3.0]


def test_targets_given_besides_replace_those_of_the_graphs() -> None:
    graphs = [pair([-5]), pair([-6])]
    found = read(graphs, answered=answers_of_array(["a", "b"], 2, "", None))
    assert found.task == Classes(("a", "b"))
    assert found.graphs.labels.tolist() == [0, 1]
    assert graphs[0].y.tolist() == [-5], "the input was changed"


def test_codes_are_kept_and_read_alike() -> None:
    known = read(
        [pair([0], torch.tensor([4, 1])), pair([1], torch.tensor([0, 2]))], encode="one-hot"
    )
    assert known.graphs.num_features == 5
    assert known.reading is not None
    assert known.reading.vocabulary["node_codes"] == [5]
    new = read([pair(x=torch.tensor([3, 3]))], like=known.reading)
    assert new.graphs.x.argmax(1).tolist() == [3, 3]
    with pytest.raises(SmixupError, match="'x' holds 9 in column 0, where the encoding has 0 to 4"):
        read([pair(x=torch.tensor([9, 0]))], like=known.reading)


def test_new_graphs_need_no_targets_but_the_same_features() -> None:
    known = read([pair([0]), pair([1])]).reading
    assert read([pair()], like=known).graphs.num_classes == 0
    with pytest.raises(SmixupError, match="have 3 features of nodes, but those read before had 2"):
        read([pair(x=torch.ones(2, 3))], like=known)


def test_graphs_without_targets_are_told_what_to_do() -> None:
    with pytest.raises(SmixupError, match="give every Data a y, or give y beside the graphs"):
        read([pair(), pair()])
