"""Duplicates: equal up to numbering, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import torch

from smixup.analysis.duplicates import duplicates
from smixup.augment import DropEdge, IfMixup
from smixup.graphs import Graphs


def test_equal_up_to_numbering(
    from_networkx: Callable[..., Graphs], permuted: Callable[..., tuple[Graphs, torch.Tensor]]
) -> None:
    originals = from_networkx([nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(5)])
    assert duplicates(permuted(originals)[0], originals).all()
    others = from_networkx([nx.path_graph(5), nx.cycle_graph(4), nx.star_graph(3)])
    assert duplicates(others, originals).tolist() == [False, False, True]


def test_features_and_weights_count(
    graphs: Graphs, permuted: Callable[..., tuple[Graphs, torch.Tensor]]
) -> None:
    assert duplicates(permuted(graphs)[0], graphs).all()
    one = torch.zeros(graphs.num_nodes, 1)
    one[0] = 0.01
    assert duplicates(graphs.replace(x=graphs.x + one), graphs).tolist() == [False] + [True] * 6
    lighter = graphs.replace(adj=torch.full((graphs.num_nodes,), 0.99) * graphs.adj)
    without_edges = (graphs.adj.to_dense().sum(1) == 0).tolist()
    expected = [all(without_edges[a:b]) for a, b in zip(graphs.ptr, graphs.ptr[1:], strict=False)]
    assert duplicates(lighter, graphs).tolist() == expected


def test_rounding_and_edges_in_halves_do_not_count(graphs: Graphs) -> None:
    """Each graph mixed with itself: its edges come in two halves."""
    itself = torch.cat([IfMixup(1.0, 1.0, seed=0).on_batch(graphs[[i]]).x for i in range(7)])
    torch.testing.assert_close(itself, graphs.x)
    for place in range(7):
        twin = IfMixup(1.0, 1.0, seed=place).on_batch(graphs[[place]])
        assert duplicates(twin, graphs).all()


def test_lost_edges_make_new_graphs(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([9, 9])
    assert not duplicates(DropEdge(0.5, seed=0).on_batch(graphs), graphs).any()
