"""DropEdge loses the share of edges asked for, and keeps features honest."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.drop_edge import DropEdge
from smixup.datasets.features import encode_features
from smixup.errors import UsageError
from smixup.graphs import Graphs


def test_the_share_of_edges_asked_for_goes(from_networkx: Callable[..., Graphs]) -> None:
    batch = from_networkx([nx.complete_graph(40)] * 5)[range(5)]
    found = DropEdge(p=0.3).on_batch(batch)
    assert float(found.adj.row_sums().sum() / batch.adj.row_sums().sum()) == pytest.approx(
        0.7, abs=0.03
    )
    assert torch.equal(found.x, batch.x)
    assert torch.equal(found.y, batch.y)
    assert torch.equal(found.ptr, batch.ptr)


def test_every_batch_is_dropped_afresh(graphs: Graphs) -> None:
    method, batch = DropEdge(p=0.5), graphs[range(7)]
    assert not torch.equal(
        method.on_batch(batch).adj.to_dense(), method.on_batch(batch).adj.to_dense()
    )


def test_features_made_from_degrees_follow_the_degrees_if_they_are_to(
    from_networkx: Callable[..., Graphs],
) -> None:
    graphs = encode_features(from_networkx([nx.complete_graph(9)] * 3, width=0), torch.arange(3))
    method = DropEdge(p=0.5, encode_degrees=True)
    method.fit_extend(graphs)
    found = method.on_batch(graphs[range(3)])
    assert torch.equal(found.x.argmax(1), found.adj.row_sums().long())
    assert not torch.equal(found.x, graphs[range(3)].x)


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(UsageError, match="p must be between 0 and 1, not 2"):
        DropEdge(p=2)
