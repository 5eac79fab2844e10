"""A motif has one shape wherever it occurs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from smixup.app.pictures.motif_layout import canonical_orders, motif_layout, shape_of
from smixup.app.pictures.planar import edges_of, number_of_crossings
from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs

GRAPHS = motif_dataset(num_graphs=24).graphs


def graph_of(batch: Graphs) -> nx.Graph:
    return nx.from_numpy_array(batch.adj.to_dense().numpy())


def distances(places: np.ndarray) -> list[float]:
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    return sorted(apart[np.triu_indices(len(places), 1)].round(3).tolist())


@pytest.mark.parametrize("label", [0, 1, 2])
def test_motifs_of_one_class_are_congruent(label: int) -> None:
    shapes = []
    for place in (GRAPHS.labels == label).nonzero().flatten().tolist():
        batch = GRAPHS[[place]]
        assert batch.motif is not None
        places = motif_layout(batch.adj.to_dense(), batch.motif)
        assert places is not None
        shapes.append(distances(places[batch.motif.numpy()]))
    assert len(shapes) == 8
    assert all(shape == pytest.approx(shapes[0], abs=2e-3) for shape in shapes)


def test_graphs_of_motif_have_a_crossing_at_most() -> None:
    """One where the motif hangs on the hub of a wheel, and must cross its rim."""
    for place in range(24):
        batch = GRAPHS[[place]]
        assert batch.motif is not None
        places = motif_layout(batch.adj.to_dense(), batch.motif)
        assert places is not None
        assert number_of_crossings(edges_of(graph_of(batch)), places) <= 1


def test_the_order_of_nodes_does_not_change_a_shape() -> None:
    house = nx.house_graph()
    shuffled = nx.relabel_nodes(house, dict(zip(range(5), (3, 0, 4, 1, 2), strict=True)))
    assert distances(shape_of(house)) == distances(shape_of(shuffled))
    assert len(canonical_orders(nx.cycle_graph(5))) == 10, "its symmetries"
    assert len(canonical_orders(house)) == 2


def test_a_node_that_is_joined_to_others_lies_outside() -> None:
    crane = nx.complete_bipartite_graph(2, 3)
    far = []
    for node in (2, 3, 4):
        places = shape_of(crane, node)
        far.append(float(np.linalg.norm(places[node] - places.mean(0))))
    assert far == pytest.approx([max(far)] * 3)


def test_what_is_joined_otherwise_is_not_for_this_layout() -> None:
    ring = torch.from_numpy(nx.to_numpy_array(nx.cycle_graph(6))).float()
    assert motif_layout(ring, torch.arange(6) < 3) is None, "two edges join it"
    path = torch.from_numpy(nx.to_numpy_array(nx.path_graph(5))).float()
    assert motif_layout(path, torch.tensor([0, 0, 1, 0, 0]).bool()) is None, "the rest falls apart"
