"""Features of edges stand at the entries of the adjacency: PyG's `edge_attr` comes out again."""

from __future__ import annotations

import torch

from smixup.datasets.edge_columns import edge_columns
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg


def test_every_edge_has_its_own() -> None:
    edges = torch.tensor([[2, 0, 1, 0], [0, 1, 0, 2]])
    values = torch.tensor([[1.0, 5.0], [0.0, 6.0], [0.0, 7.0], [1.0, 8.0]])
    adj = SparseOperator.from_edges(edges, torch.ones(4), 3)
    found = edge_columns(adj, edges, values)
    graphs = Graphs(torch.zeros(3, 1), adj, torch.ones(1, 1), torch.tensor([0, 3]))
    batch = to_pyg(graphs.replace(edge_attrs=found))
    ours = {tuple(pair): row for pair, row in zip(edges.T.tolist(), values.tolist(), strict=True)}
    pairs = zip(batch.edge_index.T.tolist(), batch.edge_attr.tolist(), strict=True)
    assert {tuple(pair): row for pair, row in pairs} == ours
    (both,) = found["edge_attr"]
    assert both.column is adj.column and not both.symmetric, "entries are shared"
    (same,) = edge_columns(adj, edges, values[:, :1])["edge_attr"]
    assert same.symmetric


def test_no_edges() -> None:
    nothing = torch.zeros(2, 0, dtype=torch.long)
    adj = SparseOperator.from_edges(nothing, torch.zeros(0), 2)
    (found,) = edge_columns(adj, nothing, torch.zeros(0, 3)).values()
    assert [each.width for each in found] == [3]
