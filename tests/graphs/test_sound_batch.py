"""Graphs that go together become one batch; others are refused in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData

from smixup.errors import SmixupError
from smixup.graphs.sound_batch import require_batch, sound_batch


def path(n: int = 3, **fields: object) -> Data:
    """A path of n nodes."""
    edges = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    own = {"x": torch.rand(n, 2), "edge_index": edges, "y": torch.tensor([0])}
    kept = {name: value for name, value in (own | fields).items() if value is not None}
    return Data(**kept)


def test_graphs_that_go_together_are_the_batch_that_pyg_makes() -> None:
    graphs = [path(3), path(1), path(4)]
    found, expected = sound_batch(graphs), Batch.from_data_list(graphs)
    assert found.ptr.tolist() == [0, 3, 4, 8]
    for name in ("x", "edge_index", "y", "batch", "ptr"):
        assert torch.equal(found[name], expected[name]), name


@pytest.mark.parametrize(
    ("graphs", "told"),
    [
        ([], "a list of torch_geometric.data.Data is needed, with one graph at least"),
        ([path(), "a graph"], "a list of torch_geometric.data.Data is needed"),
        ([path(), HeteroData()], r"several kinds of nodes or edges \(HeteroData\)"),
        ([path(), path(), path(y=None)], "graph 2 has no y, and others have: leave it out"),
        ([path(), path(z=torch.rand(3))], "only one of graph 0 and graph 1 has 'z': give it to"),
        ([path(z=torch.rand(3)), path()], "only one of graph 0 and graph 1 has 'z': give it to"),
        ([path(), path(x=torch.rand(3, 5))], "the graphs cannot be joined, as all need the same"),
        ([path(num_nodes=5)], "x has 3 rows for 5 nodes: give every node a row"),
        ([path(edge_index=torch.zeros(2, 4))], r"edge_index must be whole .* not torch.float32"),
        ([path(edge_index=torch.zeros(3, 4).long())], r"must be .*\[2, m\].*shape \[3, 4\]"),
    ],
)
def test_what_does_not_go_together_is_refused(graphs: list[Any], told: str) -> None:
    with pytest.raises(SmixupError, match=told):
        sound_batch(graphs)


@pytest.mark.parametrize("end", [-1, 3])
def test_an_edge_that_leads_out_of_its_graph_is_refused(end: int) -> None:
    """In a batch, node 3 of a graph of three is the first one of the next graph."""
    astray = path(edge_index=torch.tensor([[0, 1], [1, end]]))
    with pytest.raises(SmixupError, match="graph 1 has 3 nodes and an edge at another: number its"):
        sound_batch([path(), astray, path()])


def test_nobody_needs_a_target_if_nobody_has_one() -> None:
    assert sound_batch([path(y=None), path(y=None)]).y is None


@pytest.mark.parametrize(
    ("batch", "told"),
    [
        (path(), r"a Batch of graphs is needed, not a Data: use a DataLoader, or Batch\.from_data"),
        ([path()], "a Batch of graphs is needed, not a list"),
        (Data(x=torch.eye(2), adj=torch.eye(2)), r"dense batches \(`adj`, DenseDataLoader\)"),
        (HeteroData(), r"several kinds of nodes or edges \(HeteroData\)"),
        (
            Batch.from_data_list([path(edge_index=None, adj_t=torch.eye(3))]),
            "edges are looked for in edge_index, and these are in 'adj_t'",
        ),
        (
            Batch.from_data_list([path(edge_index=None)]),
            r"the graphs have no edge_index: .* torch.empty\(2, 0, dtype=torch.long\)",
        ),
    ],
)
def test_what_is_no_batch_with_edges_is_refused(batch: Any, told: str) -> None:
    with pytest.raises(SmixupError, match=told):
        require_batch(batch)


def test_a_batch_with_edges_is_taken() -> None:
    require_batch(Batch.from_data_list([path(), path(1)]))
