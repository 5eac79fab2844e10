"""Edges have the features that the algebra of weights and shares gives them, whatever holds
them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import from_pyg, to_pyg

close = torch.testing.assert_close


@pytest.fixture
def values(graphs: Graphs) -> Tensor:
    """Three features for every entry of the adjacency."""
    number = graphs.adj.column.numel()
    return torch.rand(number, 3, generator=torch.Generator().manual_seed(1))


def featured(graphs: Graphs, values: Tensor) -> Graphs:
    """The graphs with features of edges."""
    rows = graphs.adj.weight.unsqueeze(1) * values
    return graphs.replace(adj=replace(graphs.adj, symmetric=False), edge_attrs={"edge_attr": rows})


def test_originals_and_parts_have_their_own(graphs: Graphs, values: Tensor) -> None:
    held = featured(graphs, values)
    adj, features = held.edge_features()
    assert (held.num_edge_features, graphs.num_edge_features) == (3, 0)
    assert torch.equal(adj.to_dense(), graphs.adj.to_dense())
    close(features, values)
    close(to_pyg(held).edge_attr, values)
    adj, features = held[[4, 0, 5]].edge_features()
    owner = graphs.batch[graphs.adj.row]
    close(features, torch.cat([values[owner == i] for i in (4, 0, 5)]))
    close(adj.to_dense(), graphs[[4, 0, 5]].adj.to_dense())


def dense(adj: SparseOperator, values: Tensor) -> Tensor:
    return torch.stack([replace(adj, weight=column).to_dense() for column in values.unbind(1)])


def test_an_edge_of_two_has_their_average_by_weight(graphs: Graphs, values: Tensor) -> None:
    adj, n = graphs.adj, graphs.num_nodes
    other = featured(graphs, values.flip(0))
    other = other.with_adj(adj.mask_entries(adj.row % 2 == 0))  # some edges are of one side alone
    held, lam = featured(graphs, values), torch.full((n,), 0.3)
    mixed = graphs.replace(edge_attrs=held.edge_attrs)
    mixed = mixed.with_edges(lam * held.edges() + (1 - lam) * other.edges())
    mixed_adj, features = Graphs.cat([held, mixed]).edge_features()
    A1, A2 = held.adj.to_dense(), other.adj.to_dense()
    E1, E2 = dense(adj, values), dense(adj, values.flip(0))
    weight = 0.3 * A1 + 0.7 * A2
    expected = (0.3 * A1 * E1 + 0.7 * A2 * E2) / torch.where(weight == 0, 1.0, weight)
    close(mixed_adj.to_dense()[n:, n:], weight)
    close(dense(mixed_adj, features)[:, n:, n:], expected)
    close(dense(mixed_adj, features)[:, :n, :n], E1)


def test_double_entries_are_one_edge(graphs: Graphs, values: Tensor) -> None:
    held = featured(graphs, values)
    adj, features = held.map_edges(lambda A: A.add_unmerged(A)).edge_features()
    close(adj.to_dense(), 2 * graphs.adj.to_dense())
    close(features, values)


def test_negative_and_zero_weights_leave_features_alone() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]])
    weight = torch.tensor([-1.0, -1.0, 0.0, 0.0, 3.0, 3.0])  # of 0 and 1, two edges
    attribute = torch.tensor([[1.0], [1.0], [5.0], [5.0], [9.0], [9.0]])
    data = Data(torch.ones(3, 1), edges, attribute, edge_weight=weight, y=torch.tensor([0]))
    adj, features = from_pyg([data]).edge_features()
    assert adj.to_dense().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert features.flatten().tolist() == [7.0, 7.0, 5.0, 5.0], "by the sizes of weights: 1 and 3"
