"""Edges of two graphs, counted once and priced by hand."""

from __future__ import annotations

import torch

from smixup.augment.edited_edges import EditedEdges, attribute_rows
from smixup.graphs import Graphs, SparseOperator


def graph(edges: dict[tuple[int, int], float], attrs: list[float] | None = None) -> Graphs:
    source, target = torch.tensor(list(edges)).T
    weight = torch.tensor(list(edges.values()))
    adj = SparseOperator.from_edges(torch.stack([source, target]), weight, 4)
    held = {}
    if attrs is not None:
        values = weight * torch.tensor(attrs)
        held = {"edge_attr": (SparseOperator.from_edges(torch.stack([source, target]), values, 4),)}
    return Graphs(torch.zeros(4, 1), adj, torch.ones(1, 1), torch.tensor([0, 4]), edge_attrs=held)


LEFT = {(0, 1): 1.0, (1, 0): 1.0, (2, 2): 3.0, (1, 3): 2.0}
RIGHT = {(0, 1): 1.0, (1, 0): 0.5, (2, 2): 1.0, (2, 3): 4.0, (3, 2): 4.0}


def test_costs_by_hand() -> None:
    edges = EditedEdges.of(graph(LEFT), graph(RIGHT))
    found = dict(
        zip(zip(edges.low.tolist(), edges.high.tolist(), strict=True), edges.costs, strict=True)
    )
    assert {place: float(cost) for place, cost in found.items()} == {
        (0, 1): 0.25,  # half of 0.5, which one direction has
        (1, 3): 1.0,
        (2, 2): 2.0,  # a loop has one direction
        (2, 3): 4.0,
    }
    assert edges.in_left.tolist() == [True, True, True, False]
    assert edges.in_right.tolist() == [True, False, True, True]


def test_other_attributes_cost_one_where_both_graphs_have_the_edge() -> None:
    left = graph({(0, 1): 2.0, (1, 0): 2.0, (1, 2): 1.0, (2, 1): 1.0}, [5.0, 5.0, 1.0, 1.0])
    right = graph({(0, 1): 1.0, (1, 0): 1.0, (1, 2): 1.0, (2, 1): 1.0}, [5.0, 5.0, 1.0, 2.0])
    edges = EditedEdges.of(left, right)
    assert edges.costs.tolist() == [1.0, 1.0], "another weight, and another attribute one way"
    assert attribute_rows(left).flatten().tolist() == [5.0, 5.0, 1.0, 1.0]


def test_entries_know_their_edge_whatever_operator_they_are_of() -> None:
    left, right = graph(LEFT), graph(RIGHT)
    edges, adj = EditedEdges.of(left, right), right.adj.to_sparse()
    part = adj.mask_entries(adj.row > 1)
    for each in (adj, part):
        at = edges.at(each)
        assert torch.equal(edges.low[at], torch.minimum(each.row, each.column))
        assert torch.equal(edges.high[at], torch.maximum(each.row, each.column))
