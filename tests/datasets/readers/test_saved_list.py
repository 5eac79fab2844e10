"""Saved lists of PyG graphs are read, and no pickle is executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from smixup import to_pyg
from smixup.datasets.readers.saved_list import read_saved_list
from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Task, Values

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
NAN = float("nan")


def path_graph(y: Any, **more: Any) -> Data:
    target = {} if y is None else {"y": torch.as_tensor(y)}
    return Data(**({"x": torch.rand(3, 2), "edge_index": EDGES} | target | more))


def saved(tmp_path: Path, found: Any) -> Path:
    torch.save(found, tmp_path / "graphs.pt")
    return tmp_path / "graphs.pt"


def in_order(data: Data) -> torch.Tensor:
    """The places of the edges in which `EDGES` has them."""
    return (data.edge_index[0] * 3 + data.edge_index[1]).argsort()


def test_a_list_comes_back_with_its_attributes(tmp_path: Path) -> None:
    graphs = [path_graph([k % 2], edge_attr=torch.rand(4, 2), name=f"g{k}") for k in range(4)]
    found = read_saved_list(saved(tmp_path, graphs))
    assert torch.equal(found.graphs[[2]].x, graphs[2].x)
    assert found.graphs.labels.tolist() == [0, 1, 0, 1]
    assert found.task == Classes((0, 1))
    bare = [path_graph([k], edge_index=EDGES[:, :0]) for k in range(2)]
    assert read_saved_list(saved(tmp_path, bare)).graphs.sizes.tolist() == [3, 3]
    again = to_pyg(found.graphs[[3]])
    assert torch.allclose(again.edge_attr[in_order(again)], graphs[3].edge_attr)


@pytest.mark.parametrize("parts", [2, 3])
def test_what_pyg_joined_is_taken_apart(tmp_path: Path, parts: int) -> None:
    graphs = [path_graph([k]) for k in range(3)]
    if parts == 3:
        InMemoryDataset.save(graphs, str(tmp_path / "graphs.pt"))
        path = tmp_path / "graphs.pt"
    else:
        path = saved(tmp_path, InMemoryDataset.collate(graphs))
    found = read_saved_list(path)
    assert found.graphs.sizes.tolist() == [3, 3, 3]
    assert torch.equal(found.graphs[[1]].x, graphs[1].x)
    assert found.graphs.labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("targets", "said", "task"),
    [
        ([[0], [2], [1]], "", Classes.numbered(3)),
        ([[0.5], [2.0], [1.0]], "", Values(("target 0",))),
        ([[0.0], [1.0]], "classes", Classes((0.0, 1.0))),
        ([[3], [7]], "values", Values(("target",))),
        ([[[0.5, 1.0]], [[2.0, 1.0]]], "", Values(("target 0", "target 1"))),
        ([[[1.0, 0.0]], [[1.0, 1.0]], [[0.0, NAN]]], "", Labels(("target 0", "target 1"))),
    ],
)
def test_the_task_is_seen_from_y_or_said(
    targets: list[Any], said: str, task: Task, tmp_path: Path
) -> None:
    found = read_saved_list(saved(tmp_path, [path_graph(y) for y in targets]), task=said)
    assert found.task == task
    assert found.graphs.has_classes == isinstance(task, Classes)
    assert len(found.notes) == 1, "it says what it took them for"


def test_new_graphs_are_read_alike(tmp_path: Path) -> None:
    def coded(codes: list[int], y: list[int] | None) -> Data:
        return path_graph(y, x=torch.tensor(codes).unsqueeze(1))

    both = [coded([0, 1, 4], [0]), coded([0, 0, 2], [1])]
    before = read_saved_list(saved(tmp_path, both), encode="one-hot")
    assert before.graphs.num_features == 5
    found = read_saved_list(saved(tmp_path, [coded([1, 1, 2], None)]), like=before.reading)
    assert found.graphs.x.argmax(1).tolist() == [1, 1, 2] and found.graphs.num_classes == 0
    assert found.task == Classes((0, 1))
    one = read_saved_list(saved(tmp_path, [coded([1, 1, 2], [1])]), like=before.reading)
    assert one.graphs.y.tolist() == [[0.0, 1.0]]
    for odd, words in (
        (coded([9, 1, 2], [1]), "'x' holds 9 in column 0, where the encoding has 0 to 4"),
        (coded([1, 1, 2], [2]), "'2' of graph 0 is none of the classes 0, 1"),
    ):
        with pytest.raises(SmixupError, match=words):
            read_saved_list(saved(tmp_path, [odd]), like=before.reading)
