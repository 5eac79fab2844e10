"""Subgraph keeps a connected part of the size asked for, grown uniformly over the frontier."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.subgraph import Subgraph
from smixup.errors import UsageError
from smixup.graphs import Graphs


def parts(batch: Graphs) -> list[nx.Graph]:
    dense = batch.adj.to_dense().numpy()
    bounds = zip(batch.ptr[:-1].tolist(), batch.ptr[1:].tolist(), strict=True)
    return [nx.from_numpy_array(dense[a:b, a:b]) for a, b in bounds]


def test_parts_are_connected_and_leave_the_first_hop(
    from_networkx: Callable[..., Graphs],
) -> None:
    batch = from_networkx(
        [nx.path_graph(20), nx.cycle_graph(15), nx.random_labeled_tree(30, seed=0)]
    )[range(3)]
    found = Subgraph(keep=0.5).on_batch(batch)
    assert found.sizes.tolist() == [10, 8, 15]
    assert all(nx.is_connected(graph) for graph in parts(found))


def test_a_small_component_is_kept_whole(from_networkx: Callable[..., Graphs]) -> None:
    two = nx.disjoint_union(nx.path_graph(3), nx.path_graph(3))
    found = Subgraph(keep=0.9).on_batch(from_networkx([two] * 6)[range(6)])
    assert found.sizes.tolist() == [3] * 6


def test_each_node_of_the_frontier_is_equally_likely_to_be_next(
    from_networkx: Callable[..., Graphs],
) -> None:
    """On the tree 2-0-1-(3, 4): after 0 and 1, the frontier is 2, 3, 4."""
    graphs = from_networkx([nx.Graph([(0, 1), (0, 2), (1, 3), (1, 4)])])
    batch = graphs.replace(x=torch.arange(5.0).unsqueeze(1))[[0] * 20000]
    found = Subgraph(keep=0.6).on_batch(batch).x.view(-1, 3).long()
    sets, counts = found.sort(1).values.unique(dim=0, return_counts=True)
    share = {tuple(s): c / 20000 for s, c in zip(sets.tolist(), counts.tolist(), strict=True)}
    # by hand: each start 1/5; {0,1,2}: from 0: 1/2*1/3 + 1/2*1, from 1: 1/3*1/3,
    # from 2: 1 (via 0, then 1)
    assert share[0, 1, 2] == pytest.approx((1 / 6 + 1 / 2 + 1 / 9 + 1) / 5, abs=0.015)
    # {1,3,4}: from 1: 3 then 4 or 4 then 3, each 1/3 * 1/2; from 3: 1, then 4
    # of {0,4}; from 4 likewise
    assert share[1, 3, 4] == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 5, abs=0.015)


def test_keeping_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="keep must be above 0"):
        Subgraph(keep=0)
