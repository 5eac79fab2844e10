"""Nodes and edges go at the share asked for, labels are smoothed, representations mixed."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.drop import DropEdge, DropNode, LabelSmoothing, Subgraph
from smixup.augment.baselines.m_mixup import MMixup
from smixup.graphs import Graphs


def test_the_share_of_edges_asked_for_goes(from_networkx: Callable[..., Graphs]) -> None:
    batch = from_networkx([nx.complete_graph(40)] * 5)[range(5)]
    found = DropEdge(p=0.3, seed=0).on_batch(batch)
    assert float(found.adj.row_sums().sum() / batch.adj.row_sums().sum()) == pytest.approx(
        0.7, abs=0.03
    )
    assert torch.equal(found.x, batch.x)
    assert torch.equal(found.y, batch.y)
    assert torch.equal(found.ptr, batch.ptr)


def test_each_graph_loses_its_share_rounded_down_and_nothing_else(graphs: Graphs) -> None:
    batch = graphs.replace(x=torch.arange(30.0).unsqueeze(1))
    found = DropNode(p=0.5).on_batch(batch)
    assert found.sizes.tolist() == [2, 1, 3, 2, 5, 3, 1]
    left = found.x.squeeze(1).long()
    assert torch.equal(found.batch, batch.batch[left])
    assert torch.equal(found.adj.to_dense(), batch.adj.to_dense()[left][:, left])


def test_parts_are_connected_and_a_small_component_is_kept_whole(
    from_networkx: Callable[..., Graphs],
) -> None:
    path, cycle = nx.path_graph(20), nx.cycle_graph(15)
    two = nx.disjoint_union(nx.path_graph(3), nx.path_graph(3))
    batch = from_networkx([path, cycle, nx.random_labeled_tree(30, seed=0), two])
    found = Subgraph(keep=0.6, seed=0).on_batch(batch)
    assert found.sizes.tolist() == [12, 9, 18, 3]
    dense = [found[[place]].adj.to_dense().numpy() for place in range(4)]
    assert all(nx.is_connected(nx.from_numpy_array(A)) for A in dense)


def test_targets_by_hand(graphs: Graphs) -> None:
    """Four classes, epsilon 0.2: 0.8 + 0.2 / 4 and 0.2 / 4; a soft target likewise."""
    y = torch.tensor([[0.0, 1, 0, 0], [0.5, 0, 0.5, 0]])
    found = LabelSmoothing(0.2).on_batch(graphs[[0, 4]].replace(y=y)).y
    torch.testing.assert_close(
        found, torch.tensor([[0.05, 0.85, 0.05, 0.05], [0.45, 0.05, 0.45, 0.05]])
    )
    assert y.tolist() == [[0, 1, 0, 0], [0.5, 0, 0.5, 0]], "the targets given stay"


@pytest.mark.parametrize("per_pair", [False, True])
def test_rows_and_targets_are_mixed_by_the_same_ratios(per_pair: bool) -> None:
    """With one-hot rows and targets, the result names partner and ratio."""
    method = MMixup(alpha=1.0, per_pair=per_pair, seed=0)
    mixed, targets = method.on_embedding(torch.eye(6), torch.eye(6))
    torch.testing.assert_close(mixed, targets)
    own = mixed.diagonal()
    assert ((mixed > 0).sum(1) <= 2).all()
    ratios = own[own < 1].unique()
    assert len(ratios) == ((own < 1).sum() if per_pair else 1)
