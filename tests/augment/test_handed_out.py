"""A batch is found again in what a model is given, in whatever form."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.augment.handed_out import HandedOut, leaves, mapped


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 0], [1, 0, 0, 2]])
    data = [Data(x=torch.rand(3, 2), edge_index=edges) for _ in range(2)]
    for each in data:
        each.edge_weight, each.edge_attr = torch.rand(4), torch.rand(4, 2)
    return Batch.from_data_list(data)


def test_edges_are_known_as_a_batch_as_a_tensor_and_as_a_copy(batch: Batch) -> None:
    found = HandedOut(batch)
    for given in ((batch,), (batch.x, batch.edge_index), {"edges": [batch.edge_index.clone()]}):
        assert found.has_edges(given)
    assert not found.has_edges((batch.x, batch.edge_index + 1))


def test_weights_are_known_alone_and_as_a_column(batch: Batch) -> None:
    found, weight = HandedOut(batch), batch.edge_weight
    for given in (batch, weight.clone(), weight.view(-1, 1), torch.stack([weight, 0 * weight], 1)):
        assert found.is_given(given)
    assert not found.is_given((batch.x, batch.edge_index, batch.edge_attr))


def test_ones_stand_in_the_place_of_weights_and_nowhere_else(batch: Batch) -> None:
    found, weight = HandedOut(batch), batch.edge_weight.clone()
    both = torch.stack([weight, 7 * weight], 1)
    changed, column, x = found.with_ones((batch, both, batch.x))
    assert (changed.edge_weight == 1).all()
    assert torch.equal(column, torch.stack([torch.ones(8), 7 * weight], 1))
    assert x is batch.x
    assert torch.equal(batch.edge_weight, weight), "the batch itself stays"
    assert torch.equal(changed.edge_attr, batch.edge_attr)


def test_what_may_have_been_made_of_the_weights_is_something_else(batch: Batch) -> None:
    found = HandedOut(batch)
    assert not found.something_else((batch, batch.edge_attr, "mean", 3, None))
    assert found.something_else(1 / batch.edge_weight)
    assert found.something_else(batch.edge_weight.to_sparse())
    assert found.something_else(object())


def test_rows_of_nodes_and_graphs(batch: Batch) -> None:
    found = HandedOut(batch)
    assert found.has_rows(torch.rand(6, 5))
    assert found.has_rows([torch.rand(2, 5)])
    assert not found.has_rows((torch.rand(5, 5), batch.batch))


def test_containers_are_new_and_leaves_are_seen_once(batch: Batch) -> None:
    given = ([1, 2], {"a": 3})
    assert list(leaves(given)) == [1, 2, 3]
    assert mapped(given, lambda each: each + 1) == ([2, 3], {"a": 4})
    assert given == ([1, 2], {"a": 3})


def test_the_batch_may_be_deleted(batch: Batch) -> None:
    other = batch.clone()
    found, alive = HandedOut(other), ref(other)
    del other
    gc.collect()
    assert alive() is None
    assert found.num_edges == 8
