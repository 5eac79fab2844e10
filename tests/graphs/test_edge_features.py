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
from smixup.graphs.edge_features import together
from smixup.graphs.pyg import from_pyg, to_pyg

close = torch.testing.assert_close


@pytest.fixture
def values(graphs: Graphs) -> Tensor:
    """Three features for every entry of the adjacency."""
    number = graphs.adj.column.numel()
    return torch.rand(number, 3, generator=torch.Generator().manual_seed(1))


def wide(graphs: Graphs, values: Tensor) -> Graphs:
    """All features at the places of the adjacency."""
    adj = graphs.adj
    entries = replace(adj, weight=adj.weight.unsqueeze(1) * values, symmetric=False)
    return graphs.replace(edge_attrs={"edge_attr": (entries,)})


def narrow(graphs: Graphs, values: Tensor) -> Graphs:
    """A map of its own for every feature."""
    entries = wide(graphs, values).edge_attrs["edge_attr"][0]
    return graphs.replace(
        edge_attrs={
            "edge_attr": tuple(replace(entries, weight=w) for w in entries.weight.unbind(1))
        }
    )


@pytest.mark.parametrize("hold", [wide, narrow])
def test_originals_and_parts_have_their_own(hold, graphs: Graphs, values: Tensor) -> None:  # type: ignore[no-untyped-def]
    held = hold(graphs, values)
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


@pytest.mark.parametrize("hold", [wide, narrow])
def test_an_edge_of_two_has_their_average_by_weight(hold, graphs: Graphs, values: Tensor) -> None:  # type: ignore[no-untyped-def]
    adj, n = graphs.adj, graphs.num_nodes
    other = hold(graphs, values.flip(0))
    other = other.with_adj(adj.mask_entries(adj.row % 2 == 0))  # some edges are of one side alone
    held, lam = hold(graphs, values), torch.full((n,), 0.3)
    columns = zip(held.edge_attrs["edge_attr"], other.edge_attrs["edge_attr"], strict=True)
    mixed = graphs.replace(
        adj=lam * held.adj + (1 - lam) * other.adj,
        edge_attrs={"edge_attr": tuple(lam * a + (1 - lam) * b for a, b in columns)},
    )
    mixed_adj, features = Graphs.cat([held, mixed]).edge_features()
    A1, A2 = held.adj.to_dense(), other.adj.to_dense()
    E1, E2 = dense(adj, values), dense(adj, values.flip(0))
    weight = 0.3 * A1 + 0.7 * A2
    expected = (0.3 * A1 * E1 + 0.7 * A2 * E2) / torch.where(weight == 0, 1.0, weight)
    close(mixed_adj.to_dense()[n:, n:], weight)
    close(dense(mixed_adj, features)[:, n:, n:], expected)
    close(dense(mixed_adj, features)[:, :n, :n], E1)


def test_places_of_their_own_double_entries_and_the_order_of_maps(
    graphs: Graphs, values: Tensor
) -> None:
    held, weight = wide(graphs, values), graphs.adj.weight.unsqueeze(1)
    adj, features = held.map_edges(lambda A: A.add_unmerged(A)).edge_features()  # type: ignore[attr-defined]
    close(adj.to_dense(), 2 * graphs.adj.to_dense())
    close(features, values)
    columns = narrow(graphs, values).edge_attrs["edge_attr"]
    rare = tuple(A.mask_entries(A.weight > 0.5) for A in columns)  # type: ignore[attr-defined]
    features = held.replace(edge_attrs={"edge_attr": rare}).edge_features()[1]
    close(features, torch.where(weight * values > 0.5, values, 0.0))
    joint = together((held.adj, *held.edge_attrs["edge_attr"], held.adj))
    close(joint.weight, torch.cat([weight, weight * values, weight], 1))


def test_negative_and_zero_weights_leave_features_alone() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]])
    weight = torch.tensor([-1.0, -1.0, 0.0, 0.0, 3.0, 3.0])  # of 0 and 1, two edges
    attribute = torch.tensor([[1.0], [1.0], [5.0], [5.0], [9.0], [9.0]])
    data = Data(torch.ones(3, 1), edges, attribute, edge_weight=weight, y=torch.tensor([0]))
    adj, features = from_pyg([data]).edge_features()
    assert adj.to_dense().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert features.flatten().tolist() == [7.0, 7.0, 5.0, 5.0], "by the sizes of weights: 1 and 3"
