"""Layouts repeat, keep edges about equally long, and draw alike what is alike."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from smixup.app.pictures.layouts import layout_of


def adjacency(graph: nx.Graph) -> torch.Tensor:
    return torch.from_numpy(nx.to_numpy_array(graph)).float()


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
