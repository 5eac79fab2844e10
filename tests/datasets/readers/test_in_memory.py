"""One function reads graphs in Python, whatever they are, and paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import from_networkx

import smixup
from smixup import read_graphs
from smixup.datasets.readers.graphml import read_graphml
from smixup.datasets.readers.saved_list import read_saved_list
from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, Labels, Values


def rings() -> list[nx.Graph]:
    graphs = [nx.cycle_graph(size) for size in (3, 4, 5)]
    for graph in graphs:
        graph.graph["energy"] = len(graph) / 2
        nx.set_node_attributes(graph, {node: [node, 0.5] for node in graph}, "position")
    return graphs


def data() -> list[Data]:
    return [Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [1, 0]])) for _ in range(3)]


def test_networkx_graphs_are_those_of_pyg() -> None:
    found = read_graphs(rings(), y=["odd", "even", "odd"])
    assert found.task == Classes(("even", "odd"))
    assert found.graphs.labels.tolist() == [1, 0, 1]
    assert found.table["energy"] == ("1.5", "2.0", "2.5")
    plain = [from_networkx(nx.cycle_graph(size)) for size in (3, 4, 5)]
    expected = smixup.from_pyg(
        [Data(edge_index=each.edge_index, num_nodes=each.num_nodes) for each in plain]
    )
    ours = found.graphs.adj.to_sparse()
    assert torch.equal(ours.column, expected.adj.to_sparse().column)
    assert found.graphs[[1]].x.tolist() == [[0, 0.5], [1, 0.5], [2, 0.5], [3, 0.5]]


def test_an_attribute_of_graphs_is_a_target() -> None:
    found = read_graphs(rings(), target="energy")
    assert found.task == Values(("energy",)) and found.graphs.y.flatten().tolist() == [1.5, 2, 2.5]
    with pytest.raises(UsageError, match="there are no targets: give y="):
        read_graphs(rings())
    with pytest.raises(UsageError, match=r"have no target 'mass'|has no target 'mass'"):
        read_graphs(rings(), target="mass")


def test_pyg_graphs_take_targets_of_any_kind() -> None:
    assert read_graphs(data(), y=[0.5, 1.0, 2.0]).task == Values(("target",))
    labels = read_graphs(data(), y=np.array([[1, np.nan], [0, 1], [1, 1]]))
    assert isinstance(labels.task, Labels) and not labels.graphs.has_classes
    assert torch.isnan(labels.graphs.y[0, 1])
    batch = Batch.from_data_list(data())
    assert read_graphs(batch, y=["a", "b", "a"]).task == Classes(("a", "b"))


def test_targets_that_are_given_count_and_those_of_the_graphs_do_not() -> None:
    graphs = data()
    for graph in graphs:
        graph.y = torch.tensor([-5])  # which could not be a class
    assert read_graphs(graphs, y=["a", "b", "a"]).graphs.labels.tolist() == [0, 1, 0]
    assert graphs[0].y.tolist() == [-5]


def test_arrays_are_matrices() -> None:
    matrices = np.random.default_rng(0).normal(size=(3, 4, 4))
    for source in (matrices, torch.from_numpy(matrices), list(matrices), {"any": matrices}):
        found = read_graphs(source, y=[0, 1, 0], density=0.5)
        assert found.graphs.sizes.tolist() == [4, 4, 4]
    given = read_graphs({"a": matrices, "y": [1.5, 2.5, 3.5], "names": ["p", "q", "r"]})
    assert given.task == Values(("target",)) and given.table == {"graph": ("p", "q", "r")}


def test_a_path_is_read_as_load_dataset_does(tmp_path: Path) -> None:
    for place, graph in enumerate(rings()):
        nx.write_graphml(nx.Graph(graph.edges(), energy=place + 0.5), tmp_path / f"{place}.graphml")
    expected = read_graphml(tmp_path, target="energy").graphs.fingerprint()
    assert read_graphs(tmp_path, target="energy").graphs.fingerprint() == expected
    assert read_graphs(str(tmp_path), reader="graphml").graphs.fingerprint() == expected
    with pytest.raises(UsageError, match=r"unknown reader 'graphm'. Did you mean 'graphml'"):
        read_graphs(tmp_path, reader="graphm")
    with pytest.raises(UsageError, match="the reader graphml takes no option 'density'"):
        read_graphs(tmp_path, reader="graphml", density=1)
    with pytest.raises(UsageError, match="y is for graphs in Python"):
        read_graphs(tmp_path, y=[1])


def test_graphs_in_files_are_read_as_those_in_memory_were(tmp_path: Path) -> None:
    before = read_graphs(rings(), target="energy")
    again = read_graphs(rings()[:1], like=before.reading)
    assert torch.equal(again.graphs.x, before.graphs[[0]].x)
    assert again.graphs.y.tolist() == [[1.5]]
    unknown = nx.cycle_graph(3)
    nx.set_node_attributes(unknown, {node: [node, 0.5] for node in unknown}, "position")
    assert read_graphs([unknown], like=before.reading).graphs.num_classes == 0
    saved = read_graphs(data(), y=["a", "b", "b"])
    torch.save(data(), tmp_path / "new.pt")
    found = read_saved_list(tmp_path / "new.pt", like=saved.reading)
    assert found.graphs.num_classes == 0 and found.task == Classes(("a", "b"))
    wide = [Data(x=torch.ones(3, 5), edge_index=torch.tensor([[0], [1]]))]
    with pytest.raises(SmixupError, match="have 5 features of nodes, but those read before had 2"):
        read_graphs(wide, like=saved.reading)


def test_graphs_get_other_targets() -> None:
    graphs = read_graphs(data(), y=[0, 1, 0]).graphs
    assert read_graphs(graphs, y=[0.1, 0.2, 0.3]).task == Values(("target",))


BROKEN: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nothing": ([], {}, "the list is empty"),
    "a number": (3, {}, "not a int"),
    "words": (["a"], {"y": [1]}, "not a str"),
    "too few targets": (data(), {"y": [1]}, "y has 1 targets, but there are 3 graphs"),
    "two kinds of graphs": (
        [*rings(), *data()],
        {"y": [1] * 6},
        "graph 3 is a Data, where a networkx",
    ),
    "two kinds, the other way": ([*data(), *rings()], {"y": [1] * 6}, "a list of torch_geometric"),
    "no nodes": ([nx.Graph()], {"y": [1]}, "graph 0 has no nodes"),
    "an unknown option": (
        rings(),
        {"y": [1] * 3, "density": 1},
        "takes no option 'density'; it takes weight",
    ),
    "an attribute for PyG": (data(), {"target": "energy"}, "PyG graphs have their targets in y"),
    "y and target": (rings(), {"y": [1] * 3, "target": "energy"}, "target names columns of files"),
    "matrices of two sizes": (
        [np.eye(2), np.eye(3)],
        {"y": [0, 1]},
        r"matrix 1 has the shape \[3, 3\]",
    ),
    "y twice": ({"a": np.ones((1, 2, 2)), "y": [0]}, {"y": [0]}, "y is given twice"),
    "graphs again": (smixup.from_pyg(data()), {}, "these graphs were read before"),
    "no path": ("./nowhere", {}, "there is no such file or folder"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_wrong_kind_gets_one_sentence(case: str) -> None:
    source, options, told = BROKEN[case]
    with pytest.raises(SmixupError, match=told):
        read_graphs(source, **options)
