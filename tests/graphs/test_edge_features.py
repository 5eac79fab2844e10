"""Edges have the features that the algebra of weights and shares gives them, whatever holds
them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from smixup.graphs import BlockOperator, Graphs, SparseOperator, padding_of
from smixup.graphs.bundle import Bundle
from smixup.graphs.edge_features import together
from smixup.graphs.pyg import from_pyg, to_pyg


@pytest.fixture
def values(graphs: Graphs) -> Tensor:
    """Three features for every entry of the adjacency."""
    number = graphs.adj.to_sparse().column.numel()
    return torch.rand(number, 3, generator=torch.Generator().manual_seed(1))


def wide(graphs: Graphs, values: Tensor) -> Graphs:
    """All features at the places of the adjacency."""
    adj = graphs.adj.to_sparse()
    entries = replace(adj, weight=adj.weight.unsqueeze(1) * values, symmetric=False)
    return graphs.replace(edge_attrs={"edge_attr": (entries,)})


def narrow(graphs: Graphs, values: Tensor) -> Graphs:
    """A map of its own for every feature."""
    entries = wide(graphs, values).edge_attrs["edge_attr"][0]
    return graphs.replace(edge_attrs={"edge_attr": entries.unbind()})


@pytest.mark.parametrize("hold", [wide, narrow])
def test_originals_have_their_own(hold, graphs: Graphs, values: Tensor) -> None:  # type: ignore[no-untyped-def]
    held = hold(graphs, values)
    adj, found = held.edge_features()
    assert held.num_edge_features == 3
    assert torch.equal(adj.to_dense(), graphs.adj.to_dense())
    torch.testing.assert_close(found, values)


def test_without_features_there_are_none(graphs: Graphs, values: Tensor) -> None:
    assert graphs.num_edge_features == 0
    assert wide(graphs, values).without_edge_attributes().num_edge_features == 0


@pytest.mark.parametrize("hold", [wide, narrow])
def test_a_part_of_the_graphs_has_its_part(hold, graphs: Graphs, values: Tensor) -> None:  # type: ignore[no-untyped-def]
    held, chosen = hold(graphs, values), [4, 0, 5]
    adj, found = held[chosen].edge_features()
    whole = graphs.adj.to_sparse()
    owner = graphs.batch[whole.row]
    expected = torch.cat([values[owner == i] for i in chosen])
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(adj.to_dense(), graphs[chosen].adj.to_dense())


def dense(adj: SparseOperator, values: Tensor) -> Tensor:
    return torch.stack([replace(adj, weight=each).to_dense() for each in values.unbind(1)])


@pytest.mark.parametrize("hold", [wide, narrow])
def test_an_edge_of_two_has_their_average_by_weight(hold, graphs: Graphs, values: Tensor) -> None:  # type: ignore[no-untyped-def]
    adj = graphs.adj.to_sparse()
    kept = adj.row % 2 == 0  # of the second graphs, so that some edges come from one side alone
    other = hold(graphs, values.flip(0))
    other = other.with_adj(adj.mask_entries(kept))
    held = hold(graphs, values)
    lam = torch.full((graphs.num_nodes,), 0.3)
    mixed = graphs.replace(
        adj=lam * held.adj + (1 - lam) * other.adj,
        edge_attrs={
            "edge_attr": tuple(
                lam * a + (1 - lam) * b
                for a, b in zip(
                    held.edge_attrs["edge_attr"], other.edge_attrs["edge_attr"], strict=True
                )
            )
        },
    )
    whole = Graphs.cat([held, mixed])
    found_adj, found = whole.edge_features()
    A1, A2 = (each.adj.to_dense() for each in (held, other))
    E1, E2 = dense(adj, values), dense(adj, values.flip(0))
    weight = 0.3 * A1 + 0.7 * A2
    expected = (0.3 * A1 * E1 + 0.7 * A2 * E2) / torch.where(weight == 0, 1.0, weight)
    n = graphs.num_nodes
    torch.testing.assert_close(found_adj.to_dense()[n:, n:], weight)
    torch.testing.assert_close(dense(found_adj, found)[:, n:, n:], expected)
    torch.testing.assert_close(dense(found_adj, found)[:, :n, :n], E1)


def test_entries_written_twice_are_one_edge(graphs: Graphs, values: Tensor) -> None:
    held = wide(graphs, values)
    twice = held.map_edges(lambda each: each.add_unmerged(each))  # type: ignore[attr-defined]
    adj, found = twice.edge_features()
    torch.testing.assert_close(adj.to_dense(), 2 * graphs.adj.to_dense())
    torch.testing.assert_close(found, values)


def test_places_are_sorted_once_for_all_columns(
    graphs: Graphs, values: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, sorts = wide(graphs, values), []
    half = torch.full((graphs.num_nodes,), 0.5)
    mixed = held.map_edges(lambda each: half * each + half * each)
    sort = Tensor.sort
    monkeypatch.setattr(Tensor, "sort", lambda *a, **k: sorts.append(1) or sort(*a, **k))
    found = mixed.edge_features()[1]
    assert len(sorts) == 1
    torch.testing.assert_close(found, values)


def test_maps_with_places_of_their_own_are_read_at_those_of_the_edges(
    graphs: Graphs, values: Tensor
) -> None:
    held = narrow(graphs, values)
    columns = [each.mask_entries(each.weight > 0.5) for each in held.edge_attrs["edge_attr"]]  # type: ignore[attr-defined]
    found = held.replace(edge_attrs={"edge_attr": tuple(columns)}).edge_features()[1]
    weight = graphs.adj.to_sparse().weight.unsqueeze(1)
    torch.testing.assert_close(found, torch.where(weight * values > 0.5, values, 0.0))


def test_negative_and_zero_weights_leave_features_alone() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]])
    weight = torch.tensor([-1.0, -1.0, 0.0, 0.0, 3.0, 3.0])  # of 0 and 1, two edges
    given = torch.tensor([[1.0], [1.0], [5.0], [5.0], [9.0], [9.0]])
    data = Data(torch.ones(3, 1), edges, given, edge_weight=weight, y=torch.tensor([0]))
    adj, found = from_pyg([data]).edge_features()
    assert adj.to_dense().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert found.flatten().tolist() == [7.0, 7.0, 5.0, 5.0]  # by the sizes of weights: 1 and 3


def test_blocks_and_entries_add_up_to_the_same(graphs: Graphs, values: Tensor) -> None:
    held = wide(graphs, values)
    padding = padding_of(graphs.ptr, waste=40)
    identity = SparseOperator.from_edges(
        torch.arange(graphs.num_nodes).expand(2, -1), torch.ones(graphs.num_nodes), graphs.num_nodes
    )
    M = BlockOperator.from_sparse(identity, padding, padding)
    carried = held.map_edges(lambda each: (M @ each @ M.T).without_loops())
    assert isinstance(carried.edge_attrs["edge_attr"][0], Bundle)
    assert carried.num_edge_features == 3
    half = torch.full((graphs.num_nodes,), 0.5)
    for mixed in (
        carried,
        held.map_edges(lambda each: half * (M @ each @ M.T) + half * each),
        held.map_edges(lambda each: half * each + half * (M @ each @ M.T)),
        Graphs.cat([held, carried])[range(len(held), 2 * len(held))],
    ):
        torch.testing.assert_close(mixed.edge_features()[1], values)


def test_a_batch_of_pyg_has_them_again(graphs: Graphs, values: Tensor) -> None:
    for held in (wide(graphs, values), narrow(graphs, values)):
        torch.testing.assert_close(to_pyg(held).edge_attr, values)


def test_columns_stand_in_the_order_of_the_maps(graphs: Graphs, values: Tensor) -> None:
    held = wide(graphs, values)
    found = together((held.adj, *held.edge_attrs["edge_attr"], held.adj))
    weight = graphs.adj.to_sparse().weight.unsqueeze(1)
    torch.testing.assert_close(found.weight, torch.cat([weight, weight * values, weight], 1))
