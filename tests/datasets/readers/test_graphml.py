"""GraphML files and networkx graphs become graphs, with attributes of all kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from smixup import to_pyg
from smixup.datasets.readers.graphml import read_graphml, read_networkx
from smixup.errors import SmixupError


def ring(size: int, **attributes: object) -> nx.Graph:
    graph = nx.cycle_graph(size)
    for node, data in graph.nodes(data=True):
        data |= {"size": node / 2, "colour": "red" if node else "blue"}
    for u, v, data in graph.edges(data=True):
        data |= {"weight": float(u + v), "bond": "single" if u else "double", "length": 0.5}
    graph.graph |= attributes
    return graph


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "rings"
    path.mkdir()
    for size in (3, 4, 5):
        nx.write_graphml(ring(size), path / f"ring{size}.graphml")
    table = "file,kind,lab\nring5,odd,b\nring3.graphml,odd,a\nring4,even,a\n"
    (path / "labels.csv").write_text(table)
    return path


def test_nodes_edges_weights_categories_and_targets_are_read(folder: Path) -> None:
    found = read_graphml(folder, target="kind")
    first = found.graphs[[0]]
    assert found.graphs.sizes.tolist() == [3, 4, 5]
    assert first.x.tolist() == [[1, 0, 0, 0.0], [0, 1, 0, 0.5], [0, 1, 0, 1.0]]
    assert first.adj.to_dense().tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    batch = to_pyg(first)
    expected = [[1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1], [0] * 6, [0.5] * 6]  # double, single, other
    assert batch.edge_index[0].tolist() == [1, 2, 0, 2, 0, 1]
    assert torch.allclose(batch.edge_attr, torch.tensor(expected).T)
    assert found.task.to_dict()["names"] == ("even", "odd")
    assert found.graphs.labels.tolist() == [1, 0, 1]
    assert found.table["file"] == ("ring3.graphml", "ring4", "ring5")
    assert found.table["lab"] == ("a", "a", "b")
    assert found.notes == ("target 'kind' was read as classes: even (1), odd (2).",)
    assert found.node_names[1] == ("0", "1", "2", "3")
    with pytest.raises(SmixupError, match="columns kind, lab: say which to predict"):
        read_graphml(folder)


def test_an_attribute_of_the_graph_is_a_target_too(tmp_path: Path) -> None:
    for size in (3, 4):
        nx.write_graphml(ring(size, energy=size / 2, lab="x"), tmp_path / f"{size}.graphml")
    found = read_graphml(tmp_path, target="energy")
    assert found.graphs.y.tolist() == [[1.5], [2.0]]
    assert not found.graphs.has_classes and found.metric == "mae"
    assert found.table["lab"] == ("x", "x")


def test_new_files_are_read_alike(folder: Path) -> None:
    before = read_graphml(folder, target="kind").reading
    new, graph = folder / "new", ring(6)
    new.mkdir()
    graph.nodes[2]["colour"] = "green"
    nx.set_node_attributes(graph, 1.0, "extra")
    nx.write_graphml(graph, new / "a.graphml")
    found = read_graphml(new, like=before)
    assert found.graphs.x[:3, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert found.graphs.num_classes == 0 and found.task is not None
    assert "'extra' of nodes is left out" in found.notes[1]
    assert "1 of the nodes have a 'colour'" in found.notes[2]
    (new / "labels.csv").write_text("file,kind\na,even\n")
    assert read_graphml(new, like=before).graphs.y.tolist() == [[1.0, 0.0]]
    (new / "labels.csv").write_text("file,kind\na,strange\n")
    with pytest.raises(SmixupError, match=r"labels.csv: 'strange' of graph 0 is none of the"):
        read_graphml(new, like=before)


def test_directed_graphs_stay_so_unless_asked(tmp_path: Path) -> None:
    nx.write_graphml(nx.DiGraph([("a", "b")], y=0), tmp_path / "a.graphml")
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "a")], y=1), tmp_path / "b.graphml")
    kept = read_graphml(tmp_path)
    assert [len(kept.graphs[[place]].adj.column) for place in (0, 1)] == [1, 2]
    assert kept.graphs[[0]].adj.edges()[0].tolist() == [[0], [1]]
    assert "directed and are read so" in kept.notes[1]
    both = read_graphml(tmp_path, directions="both")
    assert both.graphs[[0]].adj.to_dense().tolist() == [[0, 1], [1, 0]]
    nx.write_graphml(nx.Graph([("a", "b")], y=1), tmp_path / "c.graphml")
    with pytest.raises(SmixupError, match=r"a.graphml and c.graphml, one is directed"):
        read_graphml(tmp_path)


def test_defaults_are_filled_in_and_parallel_edges_told(tmp_path: Path) -> None:
    (tmp_path / "a.graphml").write_text(
        """<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
        <key id="c" for="node" attr.name="colour" attr.type="string"><default>blue</default></key>
        <key id="y" for="graph" attr.name="y" attr.type="int"/><graph edgedefault="undirected">
        <data key="y">0</data><node id="a"/><node id="b"><data key="c">red</data></node>
        <edge source="a" target="b"/><edge source="a" target="b"/></graph></graphml>"""
    )
    found = read_graphml(tmp_path)
    assert found.graphs.x.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert found.graphs.adj.weight.tolist() == [2.0, 2.0]
    assert "1 edges stand beside another" in found.notes[1]


def test_numbers_may_be_categories(folder: Path) -> None:
    found = read_graphml(folder, target="kind", categories="size", ignore="colour,bond")
    assert found.reading.vocabulary["nodes"] == {"size": ["0", "0.5", "1", "1.5", "2"]}
    assert found.reading.vocabulary["edges"] == {"length": None}
    assert found.graphs.x.dtype == torch.uint8


def read(*graphs: Any, **options: Any) -> Any:
    return read_networkx(graphs, [f"graph {place}" for place in range(len(graphs))], **options)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_the_adjacency_is_networkxs(kind: Any) -> None:
    random, graphs = np.random.default_rng(0), []
    for size in (4, 7):
        graph = kind()
        graph.add_nodes_from(range(size))
        for u, v in random.integers(0, size, (2 * size, 2)).tolist():
            graph.add_edge(u, v, strength=float(random.normal()))
        graphs.append(graph)
    found = read(*graphs, weight="strength").graphs
    for place, graph in enumerate(graphs):
        expected = nx.to_numpy_array(graph, weight="strength").T  # A @ h gathers at the target
        assert np.allclose(found[[place]].adj.to_dense(), expected, atol=1e-6)


def edge(**attributes: Any) -> nx.Graph:
    graph = nx.Graph()
    graph.add_edge("a", "b", **attributes)
    return graph


@pytest.mark.parametrize(
    ("nodes", "edges", "words"),
    [
        ({}, {"weight": "x"}, "'weight' is text"),
        ({}, {"weight": float("nan")}, "'weight' is missing at the edge from 'a' to 'b'"),
        ({"a": [1, 2], "b": [1, 2, 3]}, {}, "'v' is .* lists of as many numbers"),
        ({"a": 1}, {}, "'v' is missing at node 'b'"),
        ({"a": 1, "b": "x"}, {}, "'v' is 'x' at node 'b'.*text alone"),
        ({"a": {}, "b": {}}, {}, "'v' is {} at node 'a'"),
        ({"a": 1.0, "b": 1e300}, {}, "'v' is '1e.300' at node 'b'"),
        ({"a": 2**70, "b": "1"}, {}, "text alone"),
    ],
)
def test_what_cannot_be_a_feature_is_told(nodes: Any, edges: Any, words: str) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", **edges)
    nx.set_node_attributes(graph, nodes, "v")
    with pytest.raises(SmixupError, match=words):
        read(graph)
    graph = nx.Graph([("a", "b")])
    nx.set_node_attributes(graph, {"a": True, "b": 2.5}, "v")
    assert read(graph).graphs.x.tolist() == [[1.0], [2.5]]
