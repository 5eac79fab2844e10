"""Layouts without needless crossings."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from smixup.app.pictures.planar import edges_of, evened, number_of_crossings, untangled

SHAPES = {
    "path": nx.path_graph(6),
    "cycle": nx.cycle_graph(7),
    "ladder": nx.ladder_graph(9),
    "wheel": nx.wheel_graph(16),
    "tree": nx.balanced_tree(2, 3),
    "crane": nx.complete_bipartite_graph(2, 3),
    "house": nx.house_graph(),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4)),
    "one node": nx.empty_graph(1),
    "one edge": nx.path_graph(2),
}


@pytest.mark.parametrize("name", SHAPES)
def test_planar_graphs_are_drawn_without_crossings(name: str) -> None:
    graph = SHAPES[name]
    places = untangled(graph)
    assert places.shape == (len(graph), 2)
    assert np.isfinite(places).all()
    assert number_of_crossings(edges_of(graph), places) == 0
    assert np.array_equal(untangled(graph), places), "the same at every call"


def test_a_wheel_is_round() -> None:
    places = untangled(nx.wheel_graph(12))
    lengths = np.linalg.norm(places[1:] - places[0], axis=1)
    assert lengths == pytest.approx([lengths.mean()] * 11, rel=1e-6)


@pytest.mark.parametrize("graph", [nx.complete_graph(6), nx.barbell_graph(5, 0)])
def test_no_node_hides_another(graph: nx.Graph) -> None:
    """Nodes of a clique have the same neighbours, and must not fall onto each other."""
    places = untangled(graph)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    others = apart[~np.eye(len(graph), dtype=bool)]
    assert others.min() > 0.1 * np.median(others)


def test_crossings_are_counted() -> None:
    square = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    crossed = nx.Graph([(0, 1), (2, 3)])
    assert number_of_crossings(edges_of(crossed), square) == 1
    assert number_of_crossings(edges_of(nx.Graph([(0, 2), (1, 3)])), square) == 0
    assert number_of_crossings(edges_of(nx.Graph([(0, 1), (1, 2)])), square) == 0, "they touch"
    loop = nx.Graph([(0, 0), (0, 1)])
    assert edges_of(loop).tolist() == [[0, 1]]


def test_evening_out_crosses_nothing() -> None:
    graph = SHAPES["grid"]
    drawn = nx.planar_layout(graph)
    start = np.array([drawn[node] for node in range(16)])
    edges = edges_of(graph)
    moved = evened(graph, start)

    def unevenness(places: np.ndarray) -> float:
        lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
        return float(lengths.max() / lengths.min())

    assert number_of_crossings(edges, moved) == 0
    assert unevenness(moved) < 0.5 * unevenness(start)
