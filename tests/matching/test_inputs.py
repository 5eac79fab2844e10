"""The network's input is on one scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from smixup.graphs import Graphs
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput


def test_continuous_columns_are_standardised_and_indicators_stay(graphs: Graphs) -> None:
    x = graphs.x.clone()
    x[:, 0] = x[:, 0] * 50 + 1000
    x[:, 1] = (x[:, 1] > 0).float()
    batch = graphs.replace(x=x)[range(7)]
    inputs = NodeInput(3, StructuralEncoding(4))
    inputs.fit(batch)
    found = inputs(batch).x
    assert found.shape == (30, inputs.width) == (30, 3 + 5 + 1)
    assert torch.equal(found[:, 1], x[:, 1])
    assert torch.equal(found[:, -1], torch.ones(30))
    for column in (0, 2, 3):
        torch.testing.assert_close(found[:, column].mean(), torch.tensor(0.0), atol=1e-4, rtol=0)
        torch.testing.assert_close(found[:, column].std(unbiased=False), torch.tensor(1.0))


def test_a_constant_column_does_not_explode(graphs: Graphs) -> None:
    batch = graphs.replace(x=torch.full((30, 3), 7.0))[range(7)]
    inputs = NodeInput(3, StructuralEncoding(0, degree=False))
    inputs.fit(batch)
    assert torch.equal(inputs(batch).x[:, :3], torch.zeros(30, 3))


def test_graphs_without_features_have_an_input(make_graphs: Callable[..., Graphs]) -> None:
    batch = make_graphs([3, 1], num_features=0)[[0, 1]]
    inputs = NodeInput(0, StructuralEncoding(0, degree=False))
    inputs.fit(batch)
    assert torch.equal(inputs(batch).x, torch.ones(4, 1))


def test_statistics_are_part_of_the_state_and_the_batch_stays(graphs: Graphs) -> None:
    batch = graphs[range(7)]
    before = batch.x.clone()
    one, two = NodeInput(3, StructuralEncoding(4)), NodeInput(3, StructuralEncoding(4))
    one.fit(batch)
    two.load_state_dict(one.state_dict())
    assert torch.equal(one(batch).x, two(batch).x)
    assert torch.equal(batch.x, before)


def test_negative_weights_count_by_their_size(make_graphs) -> None:  # type: ignore[no-untyped-def]
    graphs = make_graphs([5, 4], num_features=2)
    adj = graphs.adj.to_sparse()
    sign = torch.where((adj.row + adj.column) % 2 == 0, -1.0, 1.0)
    signed = graphs.replace(adj=replace(adj, weight=sign * adj.weight))
    inputs = NodeInput(2, StructuralEncoding(4, degree=True))
    inputs.fit(signed)
    assert inputs.mean.isfinite().all()
    seen, usual = inputs.prepare(signed), inputs.prepare(graphs)
    torch.testing.assert_close(inputs(seen).x, inputs(usual).x)
    torch.testing.assert_close(seen.adj.to_dense(), graphs.adj.to_dense())
