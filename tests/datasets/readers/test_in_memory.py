"""One function reads graphs in Python and paths; readers know their files, targets their task."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

import smixup
from smixup import read_graphs
from smixup.datasets import load_dataset
from smixup.datasets.base import Reading
from smixup.datasets.readers.labels import answers
from smixup.datasets.readers.registry import digest_of_files, reader_of
from smixup.datasets.readers.saved_list import read_saved_list
from smixup.errors import SmixupError, UsageError
from smixup.graphs import pack
from smixup.tasks import Classes, Labels, Values


def rings() -> list[nx.Graph]:
    graphs = [nx.cycle_graph(size) for size in (3, 4, 5)]
    for graph in graphs:
        graph.graph["energy"] = len(graph) / 2
        nx.set_node_attributes(graph, {node: [node, 0.5] for node in graph}, "position")
    return graphs


def data() -> list[Data]:
    return [Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [1, 0]])) for _ in range(3)]


def test_networkx_graphs_with_targets_of_their_own_or_beside_them() -> None:
    found = read_graphs(rings(), y=["odd", "even", "odd"])
    assert found.task == Classes(("even", "odd"))
    assert found.graphs.labels.tolist() == [1, 0, 1]
    assert found.table["energy"] == ("1.5", "2.0", "2.5")
    assert found.graphs[[1]].x.tolist() == [[0, 0.5], [1, 0.5], [2, 0.5], [3, 0.5]]
    assert np.allclose(found.graphs[[1]].adj.to_dense(), nx.to_numpy_array(nx.cycle_graph(4)))
    own = read_graphs(rings(), target="energy")
    assert own.task == Values(("energy",)) and own.graphs.y.flatten().tolist() == [1.5, 2, 2.5]
    with pytest.raises(UsageError, match="there are no targets: put a table"):
        read_graphs(rings())


def test_pyg_graphs_take_targets_of_any_kind() -> None:
    assert read_graphs(data(), y=[0.5, 1.0, 2.0]).task == Values(("target",))
    labels = read_graphs(data(), y=np.array([[1, np.nan], [0, 1], [1, 1]]))
    assert isinstance(labels.task, Labels) and torch.isnan(labels.graphs.y[0, 1])
    batch = Batch.from_data_list(data())
    assert read_graphs(batch, y=["a", "b", "a"]).task == Classes(("a", "b"))
    graphs = data()
    for graph in graphs:
        graph.y = torch.tensor([-5])  # which could not be a class
    found = read_graphs(graphs, y=["a", "b", "a"]).graphs
    assert found.labels.tolist() == [0, 1, 0] and graphs[0].y.tolist() == [-5]


def test_arrays_are_matrices() -> None:
    matrices = np.random.default_rng(0).normal(size=(3, 4, 4))
    for source in (matrices, torch.from_numpy(matrices), list(matrices), {"any": matrices}):
        found = read_graphs(source, y=[0, 1, 0], density=0.5)
        assert found.graphs.sizes.tolist() == [4, 4, 4]
    given = read_graphs({"a": matrices, "y": [1.5, 2.5, 3.5], "names": ["p", "q", "r"]})
    assert given.task == Values(("target",)) and given.table == {"graph": ("p", "q", "r")}


def test_new_graphs_are_read_as_earlier_ones_were(tmp_path: Path) -> None:
    before = read_graphs(rings(), target="energy")
    again = read_graphs(rings()[:1], like=before.reading)
    assert torch.equal(again.graphs.x, before.graphs[[0]].x) and again.graphs.y.tolist() == [[1.5]]
    unknown = rings()[0]
    del unknown.graph["energy"]
    assert read_graphs([unknown], like=before.reading).graphs.num_classes == 0
    saved = read_graphs(data(), y=["a", "b", "b"])
    torch.save(data(), tmp_path / "new.pt")
    found = read_saved_list(tmp_path / "new.pt", like=saved.reading)
    assert found.graphs.num_classes == 0 and found.task == Classes(("a", "b"))
    wide = [Data(x=torch.ones(3, 5), edge_index=torch.tensor([[0], [1]]))]
    with pytest.raises(SmixupError, match="have 5 features of nodes, but those read before had 2"):
        read_graphs(wide, like=saved.reading)


BROKEN: list[tuple[Any, dict[str, Any], str]] = [
    ([], {}, "not a list"),
    (3, {}, "not a int"),
    (["a"], {"y": [1]}, "not a str"),
    (data(), {"y": [1]}, "y has 1 targets, but there are 3 graphs"),
    ([*rings(), *data()], {"y": [1] * 6}, "graph 3 is Data, where a networkx graph"),
    ([*data(), *rings()], {"y": [1] * 6}, "a list of torch_geometric"),
    ([nx.Graph()], {"y": [1]}, "graph 0 is empty"),
    (rings(), {"y": [1] * 3, "density": 1}, "has no option 'density'; it has labels"),
    (data(), {"target": "energy"}, "target names columns of files"),
    (rings(), {"y": [1] * 3, "target": "energy"}, "give y alone"),
    ([np.eye(2), np.eye(3)], {"y": [0, 1]}, "several shapes"),
    (smixup.from_pyg(data()), {}, "not a Graphs"),
    ("./nowhere", {}, "there is no such file or folder"),
]


def test_the_wrong_kind_gets_one_sentence() -> None:
    for source, options, words in BROKEN:
        with pytest.raises(SmixupError, match=words):
            read_graphs(source, **options)


def touched(*names: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("1,0.5\n0.5,1\n")
        return folder / names[0] if len(names) == 1 else folder

    return make


KNOWN = {
    "a folder of GraphML": ("graphml", touched("a.graphml", "labels.csv")),
    "tables of edges": ("edge-list", touched("edges.csv", "graphs.csv", "nodes.csv")),
    "matrices in text": ("matrices", touched("sub-1.csv", "sub-2.csv", "labels.csv")),
    "a saved list": ("saved-list", touched("a.pt")),
    "a table": ("smiles", touched("a.csv")),
    "a TU folder": (None, touched("RINGS_A.txt", "RINGS_graph_labels.txt", "edges.csv", "a.npy")),
    "a saved model": (None, touched("model.safetensors", "model.json", "predictions.npy")),
}


@pytest.mark.parametrize("case", KNOWN)
def test_files_are_known_by_their_names(case: str, tmp_path: Path) -> None:
    reader, make = KNOWN[case]
    assert reader_of(make(tmp_path)) == reader


def test_packed_sets_pipes_and_several_kinds(tmp_path: Path) -> None:
    pack(load_dataset("MOTIF", num_graphs=6).graphs, tmp_path / "packed")
    assert reader_of(tmp_path / "packed") is None
    assert len(load_dataset(tmp_path / "packed").graphs) == 6
    os.mkfifo(tmp_path / "a.csv")
    assert reader_of(tmp_path / "a.csv") is None
    folder = touched("a.graphml", "edges.csv", "b.npy")(tmp_path / "mixed")
    with pytest.raises(
        UsageError, match=r"mixed holds files of several kinds \(edge-list, graphml"
    ):
        reader_of(folder)
    before = digest_of_files(folder)
    (folder / "edges.csv").write_text("22")
    changed = digest_of_files(folder)
    (folder / "edges.csv").rename(folder / "links.csv")
    assert len({before, changed, digest_of_files(folder)}) == 3


TABLE = {"graph": ("a", "b", "c"), "y": ("1", "0", "1"), "age": ("1.5", "", "3.0")}


def asked(table: Any, target: Any = None, kind: str = "", like: Any = None) -> Any:
    options = {"target": target, "task": kind}
    return answers(table, range(len(table["graph"])), "graph", options, like, "it")


def test_targets_are_named_or_usual_and_earlier_tasks_hold() -> None:
    found = asked(TABLE, "age")
    assert found.task == Values(("age",))
    assert torch.nan_to_num(found.y, -1).flatten().tolist() == [1.5, -1, 3]
    assert found.notes[0].endswith("read as values: age (1.5 to 3), 1 not known.")
    assert asked(TABLE).targets == ("y",)
    with pytest.raises(UsageError, match=r"unknown column of it 'z'\. Known: age, y"):
        asked(TABLE, "z")
    names = {"graph": tuple("abcdefghijkl"), "name": tuple("ABCDEFGHIJKL")}
    for table in (names, {"graph": names["graph"], "name": ("A",) * 12}):
        with pytest.raises(UsageError, match=r"it: target 'name' has .* entries in 12 rows"):
            asked(table)
    assert asked(names, kind="classes").task.width == 12
    classes = Reading("any", {"target": ["y"]}, {"task": Classes((0, 1, 2)).to_dict()})
    assert asked(TABLE, ["y"], like=classes).y.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    unknown = asked({"graph": ("a",)}, ["y"], like=classes)
    assert unknown.y.shape == (1, 0) and unknown.notes == ("the targets are not known.",)
    labels = Reading("any", {}, {"task": Labels(("y", "z")).to_dict()})
    some = asked(TABLE, ["y", "z"], like=labels).y
    assert some[:, 0].tolist() == [1, 0, 1] and bool(some[:, 1].isnan().all())
