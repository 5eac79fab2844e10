"""Features of edges as operators beside an adjacency, as `Graphs.edge_attrs` holds them."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from smixup.graphs import SparseOperator

EDGE_ATTR = "edge_attr"
"""PyG's name for features of edges."""


def edge_columns(
    adj: SparseOperator, edge_index: Tensor, values: Tensor
) -> dict[str, tuple[SparseOperator, ...]]:
    """Return what edges of weight one carry, column by column, at the entries of the adjacency.

    Args:
        adj: the adjacency that was made of these edges, one entry at every place.
        edge_index: `[2, m]`, source and target, as `SparseOperator.from_edges` takes them.
        values: `[m, k]`.
    """
    n = adj.num_columns
    place, entry = torch.unique(edge_index[1] * n + edge_index[0], return_inverse=True)
    found = torch.zeros(len(place), values.size(1)).index_add_(0, entry, values.float())
    back = (place % max(n, 1) * n + place // max(n, 1)).argsort()  # the same edges, turned round
    symmetric = (adj.symmetric & (found == found[back]).all(0)).tolist()
    columns = (
        replace(adj, weight=column.contiguous(), symmetric=same)
        for column, same in zip(found.unbind(1), symmetric, strict=True)
    )
    return {EDGE_ATTR: tuple(columns)}
