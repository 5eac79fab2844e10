"""A part that is selected with others is that which is selected alone."""

from __future__ import annotations

from dataclasses import replace

import torch

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.shared_places import Selected, SharedPlaces


def with_attributes(graphs: Graphs) -> tuple[SparseOperator, SparseOperator, SparseOperator]:
    """An adjacency, attributes at its places, and a map with places of its own."""
    adj = graphs.adj.to_sparse()
    values = torch.randn(adj.column.numel(), 3, generator=torch.Generator().manual_seed(0))
    attributes = replace(adj, weight=values, symmetric=False)
    return adj, attributes, adj.mask_entries(adj.weight > 0.5)


def test_every_part_is_that_which_is_selected_alone(graphs: Graphs) -> None:
    index, ends = torch.tensor([2, 0, 2]), (int(graphs.ptr[1]), int(graphs.ptr[3]))
    blocks = SharedPlaces(lambda each: each.select_blocks(graphs.ptr, index))
    window = SharedPlaces(lambda each: each.select_window(*ends))
    for operator in with_attributes(graphs):
        for shared in (blocks, window):
            found, alone = shared(operator), shared.select(operator)[0]
            assert found.has_entries_of(alone)
            assert torch.equal(found.weight, alone.weight)
            assert found.symmetric == alone.symmetric
            assert found.shape == alone.shape


def test_places_are_worked_out_once_for_operators_that_share_them(graphs: Graphs) -> None:
    asked = list[SparseOperator]()

    def select(operator: SparseOperator) -> Selected:
        asked.append(operator)
        return operator.select_window(0, graphs.num_nodes)

    shared = SharedPlaces(select)
    adj, attributes, other = with_attributes(graphs)
    first, second, third = (shared(each) for each in (adj, attributes, other))
    assert [each is adj or each is other for each in asked] == [True, True]
    assert second.shares_places_of(first)
    assert not third.shares_places_of(first)
