"""Layouts repeat, keep edges about equally long, and draw alike what is alike."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from smixup.app.pictures.layouts import layout_of, turned
from smixup.app.pictures.mixed_pair import Alignment
from smixup.graphs import Graphs
from smixup.matching import Identity


def adjacency(graph: nx.Graph) -> torch.Tensor:
    return torch.from_numpy(nx.to_numpy_array(graph)).float()


def aligned(left: Graphs, right: Graphs) -> Alignment:
    return Alignment(Identity(partial=True)(left, right).to_dense())


@pytest.mark.parametrize("graph", [nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(4)])
def test_graphs_without_edges_have_a_layout(graph: nx.Graph) -> None:
    places = layout_of(torch.zeros(len(graph), len(graph)))
    assert places.shape == (len(graph), 2)
    assert len(np.unique(places, axis=0)) == len(graph)


def test_components_stand_side_by_side_and_edges_are_about_equally_long() -> None:
    graph = nx.disjoint_union_all([nx.cycle_graph(6), nx.path_graph(3), nx.empty_graph(2)])
    places = layout_of(adjacency(graph))
    assert np.array_equal(layout_of(adjacency(graph)), places), "it repeats"
    parts = ([*range(6)], [6, 7, 8], [9], [10])
    boxes = [(places[part].min(0), places[part].max(0)) for part in parts]
    for one, (low1, high1) in enumerate(boxes):
        for low2, high2 in boxes[one + 1 :]:
            assert (high1 + 0.5 < low2).any() or (high2 + 0.5 < low1).any()
    lengths = [float(np.linalg.norm(places[a] - places[b])) for a, b in graph.edges]
    assert lengths == pytest.approx([1] * 8, rel=0.2)


def test_nodes_without_target_do_not_turn_a_layout() -> None:
    places = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [9.0, 9.0]])
    targets = np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 4.0], [0.0, 0.0]])
    found = turned(places, targets, torch.tensor([True, True, True, False]))
    assert np.allclose(found[:3] - found[0], targets[:3])
    lengths = [np.linalg.norm(each - each[0], axis=1) for each in (places, found)]
    assert np.allclose(*lengths), "turned as a whole"
    assert np.isfinite(turned(places, targets, torch.zeros(4, dtype=torch.bool))).all()
