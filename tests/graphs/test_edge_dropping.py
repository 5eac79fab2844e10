"""Edges go in pairs, as often as asked."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.graphs import Graphs
from smixup.graphs.edge_dropping import drop_edges


def test_edges_are_dropped_in_pairs_and_as_often_as_asked(
    from_networkx: Callable[..., Graphs], device: torch.device
) -> None:
    batch = from_networkx([nx.complete_graph(60)] * 3).to(device)
    drop = torch.tensor([0.0, 0.3, 1.0], device=device)
    adj = drop_edges(batch.adj.to_sparse(), drop[batch.batch], torch.Generator().manual_seed(0))
    dense = adj.to_dense()
    assert adj.symmetric
    assert torch.equal(dense, dense.T)
    kept = torch.tensor([float(dense[g * 60 : (g + 1) * 60].sum()) for g in range(3)]) / (60 * 59)
    assert kept[0] == 1
    assert kept[2] == 0
    assert float(kept[1]) == pytest.approx(0.7, abs=0.04)
    assert ((dense == 0) | (dense == batch.adj.to_dense())).all(), "nothing is added"
