"""networkx graphs of all classes, with attributes of all kinds."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from smixup.datasets.readers.networkx_graphs import graph_attributes, read_networkx
from smixup.errors import SmixupError


def read(*graphs: Any, **options: Any) -> Any:
    return read_networkx(graphs, [f"graph {place}" for place in range(len(graphs))], **options)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_the_adjacency_is_networkxs(kind: Any) -> None:
    random = np.random.default_rng(0)
    graphs = []
    for size in (4, 7):
        graph = kind()
        graph.add_nodes_from(range(size))
        for u, v in random.integers(0, size, (2 * size, 2)).tolist():
            graph.add_edge(u, v, weight=float(random.normal()))
        graphs.append(graph)
    found = read(*graphs).graphs
    for place, graph in enumerate(graphs):
        one = found[[place]]
        expected = nx.to_numpy_array(graph).T  # A @ h gathers at the target
        assert np.allclose(one.adj @ torch.eye(len(graph)), expected, atol=1e-6)


def test_both_directions_are_made_on_request() -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=2.0, kind="x")
    graph.add_edge("b", "b", weight=3.0, kind="y")
    found = read(graph, directions="both")
    assert (found.graphs.adj @ torch.eye(2)).tolist() == [[0, 2], [2, 3]]
    assert "made to run in both directions" in found.notes[0]


def test_another_attribute_may_be_the_weight() -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, strength=0.25, weight=7.0)
    found = read(graph, weight="strength")
    assert found.graphs.adj.to_sparse().weight.tolist() == [0.25, 0.25]
    assert found.vocabulary["edges"] == {"weight": None}


def test_attributes_of_graphs_are_text() -> None:
    graphs = [nx.path_graph(2), nx.path_graph(2)]
    graphs[0].graph |= {"y": 1, "lab": "a", "node_default": {}}
    assert graph_attributes(graphs) == {"lab": ("a", ""), "y": ("1", "")}


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    def edge(**attributes: Any) -> nx.Graph:
        graph = nx.Graph()
        graph.add_edge("a", "b", **attributes)
        return graph

    with pytest.raises(SmixupError, match="'weight' is 'heavy' at the edge from 'a' to 'b' of gra"):
        read(edge(weight=1.0), edge(weight="heavy"))
    with pytest.raises(SmixupError, match="'weight' is missing at the edge from 'a' to 'b' of gra"):
        read(edge(weight=1.0), edge())
    with pytest.raises(SmixupError, match="'weight' is nan at the edge"):
        read(edge(weight=float("nan")))
    with pytest.raises(SmixupError, match="directions must be keep or both, not one"):
        read(edge(), directions="one")
    vector = nx.Graph()
    vector.add_node("a", v=[1, 2])
    vector.add_node("b", v=[1, 2, 3])
    with pytest.raises(SmixupError, match="at node 'b' of graph 0, where a list of 2 numbers"):
        read(vector)
    with pytest.raises(SmixupError, match="there are no graphs"):
        read()
