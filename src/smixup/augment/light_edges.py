"""What a mix looks like to who does without its lightest edges, or without weights at all.

The public code of the paper drops what weighs less than 0.1, and a model without edge weights, such
as PyG's GIN, takes every edge that is left for a whole one. `SMixup(least_weight=0.1,
edges="binary")` does the same, so that what it costs can be measured.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.edge_dropping import numbered_edges


def without_light_edges(graphs: Graphs, least_weight: float) -> Graphs:
    """Return the graphs without edges that weigh less in both directions; attributes of the others
    stay.
    """
    adj = graphs.adj.to_sparse().merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    high = weight.new_zeros(number).scatter_reduce_(0, edge, weight, "amax", include_self=False)
    return graphs.with_adj(adj.mask_entries(high[edge] >= least_weight))


def whole_edges(graphs: Graphs) -> Graphs:
    """Return the graphs with weights of one, or minus one where they were negative; attributes of
    edges stay.
    """
    adj = graphs.adj.to_sparse().merged()
    adj = adj.mask_entries(adj.weight != 0)
    found = graphs.with_adj(adj)  # whose attributes are entries of the weight that they had
    return found.replace(
        adj=replace(adj, weight=adj.weight.sign()),
        edge_attrs={
            name: tuple(
                replace(adj, weight=_divided(column.to_sparse().weight, adj.weight.abs()))
                for column in columns
            )
            for name, columns in found.edge_attrs.items()
        },
    )


def _divided(entries: Tensor, share: Tensor) -> Tensor:
    """Divide entries `[m]` or `[m, k]` by `share [m]`."""
    return entries / share.view(-1, *[1] * (entries.dim() - 1))
