"""Components stand side by side, and their edges are about equally long."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from smixup.app.pages.explorer.layout import shelves, spread_layout
from smixup.app.pictures.graph_drawing import layout_of


def test_components_stand_side_by_side() -> None:
    graph = nx.disjoint_union_all([nx.cycle_graph(6), nx.path_graph(3), nx.empty_graph(2)])
    adj = torch.from_numpy(nx.to_numpy_array(graph)).float()
    places = spread_layout(adj)
    boxes = [
        (places[part].min(0), places[part].max(0)) for part in ([*range(6)], [6, 7, 8], [9], [10])
    ]
    for one, (low1, high1) in enumerate(boxes):
        for low2, high2 in boxes[one + 1 :]:
            assert (high1 + 0.5 < low2).any() or (high2 + 0.5 < low1).any()
    lengths = [float(np.linalg.norm(places[a] - places[b])) for a, b in graph.edges]
    assert lengths == pytest.approx([1] * 8, rel=0.1)
    whole = torch.from_numpy(nx.to_numpy_array(nx.cycle_graph(6))).float()
    shape = layout_of(whole)
    assert np.allclose(spread_layout(whole), shape / np.linalg.norm(shape[0] - shape[1]), atol=0.02)
    assert spread_layout(torch.zeros(0, 0)).shape == (0, 2)


def test_boxes_are_put_on_shelves() -> None:
    assert shelves([(4.0, 2.0), (1.0, 1.0), (3.0, 1.0)]) == [(0.0, 0.0), (5.0, 0.0), (0.0, 3.0)]
