"""Edges of two graphs on the same places, and what it costs to change those of one into the
other's.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator

ROUNDING = 1e-6


@dataclass(frozen=True)
class EditedEdges:
    """The edges that either graph has between N places; E of them, both directions as one.

    Attributes:
        low, high: `[E]`, the places that an edge joins, sorted; one and the same for a loop.
        costs: `[E]`, double: how far the weights of the two graphs are apart, and one more where
            both have the edge and its attributes differ.
        in_left, in_right: `[E]`, whether G1 and G2 have it.
        adj: `[N, N]` of G1 and of G2.
        of_entries: which edge each of their entries belongs to, `[m1]` and `[m2]`.
    """

    low: Tensor
    high: Tensor
    costs: Tensor
    in_left: Tensor
    in_right: Tensor
    adj: tuple[SparseOperator, SparseOperator]
    of_entries: tuple[Tensor, Tensor]

    @classmethod
    def of(cls, left: Graphs, right: Graphs) -> EditedEdges:
        """List the edges of two graphs whose nodes are N places."""
        first, second = left.adj.to_sparse(), right.adj.to_sparse()
        size, m1 = first.num_columns, len(first.weight)
        row, column = torch.cat([first.row, second.row]), torch.cat([first.column, second.column])
        place, entry = torch.unique(row * size + column, return_inverse=True)
        weight = torch.cat([first.weight, -second.weight]).double()
        apart = weight.new_zeros(len(place)).index_add_(0, entry, weight).abs()
        key, edge = torch.unique(_key(place // size, place % size, size), return_inverse=True)
        once = torch.where(place // size == place % size, 1.0, 0.5)  # an edge has two directions
        costs = apart.new_zeros(len(key)).index_add_(0, edge, once * apart)
        if left.edge_attrs:
            changed = _changed(attribute_rows(left), attribute_rows(right), entry, len(place))
            costs += torch.zeros_like(costs).index_fill_(0, edge[changed], 1.0)
        entries = edge[entry]
        own, other = entries[:m1], entries[m1:]
        none = torch.zeros_like(key, dtype=torch.bool)
        there = none.index_fill(0, own, True), none.index_fill(0, other, True)
        return cls(key // size, key % size, costs, *there, (first, second), (own, other))

    def at(self, adj: SparseOperator) -> Tensor:
        """Return which edge each entry of a map belongs to, `[m]`; none is at another place."""
        for known, edges in zip(self.adj, self.of_entries, strict=True):
            if adj.has_entries_of(known):
                return edges
        size = adj.num_columns
        keys = self.low * size + self.high
        return torch.searchsorted(keys, _key(adj.row, adj.column, size))


def attribute_rows(graphs: Graphs) -> Tensor:
    """Return the attributes of each entry of the adjacency side by side, `[m, k]`."""
    adj = graphs.adj.to_sparse()
    columns = (each.to_sparse() for every in graphs.edge_attrs.values() for each in every)
    rows = torch.cat([each.values_at(adj).reshape(-1, each.width) for each in columns], 1)
    return rows / adj.weight.where(adj.weight != 0, 1.0).unsqueeze(1)


def _changed(first: Tensor, second: Tensor, entry: Tensor, size: int) -> Tensor:
    """Tell at which of `size` places both graphs have an entry, with different attributes."""
    apart = first.new_zeros(size, first.size(1))
    apart.index_add_(0, entry, torch.cat([first, -second]))
    both = torch.bincount(entry, minlength=size) == 2
    return both & (apart.abs() > ROUNDING).any(1)


def _key(row: Tensor, column: Tensor, size: int) -> Tensor:
    """Number the pairs of places `[m]`, the same in both directions."""
    return torch.minimum(row, column) * size + torch.maximum(row, column)
