"""Graphs are recognised by what they hold."""

from __future__ import annotations

import pytest
import torch

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.recognition import KnownGraphs, content_numbers


@pytest.fixture
def graphs(make_graphs, device: torch.device) -> Graphs:  # type: ignore[no-untyped-def]
    return make_graphs([4, 1, 6, 3, 5, 4], num_features=3).to(device).renumbered()


def test_any_batch_of_the_set_is_recognised(graphs: Graphs) -> None:
    known = KnownGraphs.of(graphs)
    batch = graphs[[5, 0, 2]].renumbered()
    found = known.recognised(batch)
    assert found.ids.tolist() == [5, 0, 2]
    assert found.set_id == graphs.set_id


def test_a_set_on_one_device_is_found_on_another(make_graphs, device: torch.device) -> None:  # type: ignore[no-untyped-def]
    graphs = make_graphs([4, 1, 6], num_features=3).renumbered()
    assert KnownGraphs.of(graphs).find(graphs[[2, 1]].to(device)).tolist() == [2, 1]


def test_a_stranger_makes_the_batch_unknown(graphs: Graphs) -> None:
    known = KnownGraphs.of(graphs[:5].renumbered())
    batch = graphs[[5, 0]]
    assert known.find(batch) is None
    assert known.recognised(batch) is batch


def test_every_part_of_a_graph_counts(make_graphs) -> None:  # type: ignore[no-untyped-def]
    graphs: Graphs = make_graphs([6, 5], num_features=3)
    number = content_numbers(graphs)[0]
    adj = graphs.adj.to_sparse()

    def changed(**fields: object) -> bool:
        return bool(content_numbers(graphs.replace(**fields))[0] != number)

    for column in range(3):
        x = graphs.x.clone()
        x[2, column] += 1e-3
        assert changed(x=x)
    swapped = graphs.x.clone()
    swapped[[0, 1]] = swapped[[1, 0]]
    assert changed(x=swapped)
    assert changed(x=graphs.x.flip(1))
    weight = adj.weight.clone()
    weight[0] *= 2
    lighter = SparseOperator(adj.row_ptr, adj.column, weight, adj.num_columns)
    assert changed(adj=lighter)
    assert changed(adj=adj.mask_entries(torch.arange(adj.weight.numel()) > 0))
    assert not changed(y=1 - graphs.y)


def test_where_a_graph_stands_does_not_count(graphs: Graphs) -> None:
    numbers = content_numbers(graphs)
    order = torch.tensor([3, 5, 0, 1, 4, 2])
    assert content_numbers(graphs[order]).tolist() == numbers[order.to(numbers.device)].tolist()


def test_no_two_of_many_small_graphs_are_taken_for_one() -> None:
    """All directed graphs of four nodes: 4096 adjacencies without loops, all different."""
    places = [(i, j) for i in range(4) for j in range(4) if i != j]
    row, column, count = [], [], 2 ** len(places)
    for graph in range(count):
        for bit, (i, j) in enumerate(places):
            if graph >> bit & 1:
                row.append(4 * graph + i)
                column.append(4 * graph + j)
    edges = torch.tensor([row, column])
    graphs = Graphs(
        x=torch.ones(4 * count, 1),
        adj=SparseOperator.from_edges(edges, torch.ones(len(row)), 4 * count),
        y=torch.zeros(count, 0),
        ptr=torch.arange(count + 1) * 4,
    )
    assert content_numbers(graphs).unique().numel() == count


def test_zero_has_one_sign(make_graphs) -> None:  # type: ignore[no-untyped-def]
    graphs: Graphs = make_graphs([4], num_features=2)
    zeros = graphs.replace(x=torch.zeros_like(graphs.x))
    minus = graphs.replace(x=-torch.zeros_like(graphs.x))
    assert torch.equal(content_numbers(zeros), content_numbers(minus))
