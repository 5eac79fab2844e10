"""Mixes behind the graphs of a batch, which stay as they were handed in."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.graphs import Graphs
from smixup.graphs.appending import append, soft
from smixup.graphs.batch_fields import placed
from smixup.graphs.pyg import from_pyg_batch

PARALLEL = torch.tensor([[0, 0, 2, 1], [1, 1, 1, 0]])
"""Two edges from node 0 to node 1, which a conversion would merge, in no order."""


def loaded(**changes: object) -> Batch:
    """Two graphs of three and two nodes, as a loader hands them out."""
    first = {"x": torch.eye(3), "edge_index": PARALLEL, "y": torch.tensor([0]), "name": "first"}
    second = {"x": torch.ones(2, 3), "edge_index": torch.tensor([[1], [0]])}
    second |= {"y": torch.tensor([2]), "name": "second"}
    return Batch.from_data_list([Data(**each | changes) for each in (first, second)])


def read(batch: Batch) -> Graphs:
    return placed(from_pyg_batch(batch, num_classes=3))


def test_originals_stay_edge_by_edge_and_new_graphs_stand_behind_them() -> None:
    batch = loaded()
    graphs = read(batch)
    new = graphs[[1]].replace(y=torch.tensor([[0.25, 0.0, 0.75]]))
    found = append(batch, graphs, new, averaged=True)
    assert found.num_graphs == 3
    assert found.ptr.tolist() == [0, 3, 5, 7]
    assert found.batch.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert found.edge_index.tolist() == [[0, 0, 2, 1, 4, 6], [1, 1, 1, 0, 3, 5]]
    assert torch.equal(found.x, torch.cat([batch.x, torch.ones(2, 3)]))
    assert found.y.tolist() == [[1, 0, 0], [0, 0, 1], [0.25, 0, 0.75]]
    assert found["name"] == ["first", "second", "second"]
    assert found.edge_weight.tolist() == [1.0] * 6
    parts = found.to_data_list()
    assert torch.equal(parts[0].edge_index, PARALLEL)
    assert [part.edge_index.tolist() for part in parts[1:]] == [[[1], [0]]] * 2
    assert batch.num_graphs == 2, "the input was changed"


def test_weights_keep_their_own_type() -> None:
    batch = loaded(edge_weight=None)
    batch.edge_weight = torch.tensor([0.5, 0.25, 2.0, 3.0, 4.0], dtype=torch.float64)
    graphs = read(batch)
    found = append(batch, graphs, graphs[[0]], averaged=True)
    assert found.edge_weight.dtype == torch.float64
    kept, new = found.edge_weight.tolist()[:5], found.edge_weight.tolist()[5:]
    assert kept == [0.5, 0.25, 2.0, 3.0, 4.0]
    assert sorted(new) == [0.75, 2.0, 3.0], "parallel edges of a new graph are one"


@pytest.mark.parametrize("y", [torch.tensor([[0.5, 0.5]]), torch.tensor([1.5])])
def test_targets_that_are_numbers_are_kept_to_the_bit(y: torch.Tensor) -> None:
    batch = loaded(y=y)
    graphs = placed(from_pyg_batch(batch))
    found = append(batch, graphs, graphs[[1, 0]], averaged=True)
    assert torch.equal(found.y, torch.cat([batch.y] * 2))
    assert soft(batch, graphs) is batch, "there is nothing to soften"


def test_a_batch_without_mixes_looks_as_if_it_had_some() -> None:
    batch = loaded()
    found = soft(batch, read(batch))
    assert found.y.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert found.edge_weight.tolist() == [1.0] * 5
    assert torch.equal(found.edge_index, batch.edge_index)
    assert batch.y.tolist() == [0, 2], "the input was changed"
    assert batch.edge_weight is None
    weighted = loaded()
    weighted.edge_weight = torch.rand(5)
    assert soft(weighted, read(weighted)).edge_weight is weighted.edge_weight
