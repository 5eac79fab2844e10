"""DropNode loses the share of nodes asked for, and no graph wholly."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.drop_node import DropNode
from smixup.errors import UsageError
from smixup.graphs import Graphs


def test_each_graph_loses_its_share_rounded_down(graphs: Graphs) -> None:
    found = DropNode(p=0.5).on_batch(graphs[range(7)])
    assert found.sizes.tolist() == [2, 1, 3, 2, 5, 3, 1]


def test_no_graph_is_emptied(graphs: Graphs) -> None:
    assert (DropNode(p=0.999).on_batch(graphs[range(7)]).sizes >= 1).all()


def test_what_is_left_is_the_induced_subgraph(graphs: Graphs) -> None:
    batch = graphs.replace(x=torch.arange(30.0).unsqueeze(1))[range(7)]
    found = DropNode(p=0.4).on_batch(batch)
    left = found.x.squeeze(1).long()
    assert torch.equal(found.batch, batch.batch[left])
    assert torch.equal(found.adj.to_dense(), batch.adj.to_dense()[left][:, left])


def test_all_nodes_are_equally_likely_to_go(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.path_graph(4)])
    batch = graphs.replace(x=torch.arange(4.0).unsqueeze(1))[[0] * 4000]
    kept = DropNode(p=0.25).on_batch(batch).x.squeeze(1).long().bincount() / 4000
    assert (kept - 0.75).abs().max() < 0.03


def test_dropping_everything_is_refused() -> None:
    with pytest.raises(UsageError, match="p must be at least 0 and below 1"):
        DropNode(p=1)
