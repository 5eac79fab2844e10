"""Nodes keep the names that they have in their files."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from smixup.datasets.readers.edge_list import read_edge_list
from smixup.datasets.readers.graphml import read_graphml
from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.node_names import NamedNodes, NodeNames

EDGES = "graph,source,target\na,bert,anna\na,carl,bert\nc,anna,dora\n"
GRAPHS = "graph,label\na,x\nb,y\nc,x\n"


def names_of(dataset: object) -> NodeNames:
    assert isinstance(dataset, NamedNodes)
    assert dataset.node_names is not None
    return dataset.node_names


def test_of_edges_with_a_graph_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(EDGES, encoding="utf-8")
    (tmp_path / "graphs.csv").write_text(GRAPHS, encoding="utf-8")
    found = read_edge_list(tmp_path)
    names = names_of(found)
    assert [names.of(graph) for graph in range(3)] == [
        ("anna", "bert", "carl"),
        ("",),
        ("anna", "dora"),
    ]
    first = found.graphs[[0]].adj.to_dense()
    assert first[0].tolist() == [0, 1, 0], "anna knows bert alone"


def test_of_a_table_of_nodes_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("graph,source,target\na,y,x\n", encoding="utf-8")
    (tmp_path / "graphs.csv").write_text("graph,label\nb,1\na,2\n", encoding="utf-8")
    nodes = "graph,node\na,y\nb,z\na,x\na,lonely\n"
    (tmp_path / "nodes.csv").write_text(nodes, encoding="utf-8")
    names = names_of(read_edge_list(tmp_path))
    assert (names.of(0), names.of(1)) == (("z",), ("y", "x", "lonely"))


def test_numbers_are_names_too(tmp_path: Path) -> None:
    edges = "graph,source,target\n1,10,30\n2,30,20\n"
    (tmp_path / "edges.csv").write_text(edges, encoding="utf-8")
    (tmp_path / "graphs.csv").write_text("graph,label\n1,a\n2,b\n", encoding="utf-8")
    names = names_of(read_edge_list(tmp_path))
    assert (names.of(0), names.of(1)) == (("10", "30"), ("20", "30"))


def test_of_graphml(tmp_path: Path) -> None:
    for place, word in enumerate(("one", "two")):
        graph = nx.Graph([(f"{word}-a", f"{word}-b")], kind=place)
        nx.write_graphml(graph, tmp_path / f"{word}.graphml")
    assert names_of(read_graphml(tmp_path, target="kind")).of(1) == ("two-a", "two-b")


@pytest.mark.parametrize("named", [True, False])
def test_of_matrices_if_regions_have_any(tmp_path: Path, named: bool) -> None:
    more = {"regions": np.array(["left", "right"])} if named else {}
    np.savez(tmp_path / "a.npz", m=np.ones((3, 2, 2)), y=np.array([0, 1, 0]), **more)
    found = read_matrices(tmp_path / "a.npz")
    assert isinstance(found, NamedNodes)
    assert (found.node_names is not None) == named
    if found.node_names:
        assert found.node_names.of(2) == ("left", "right")
