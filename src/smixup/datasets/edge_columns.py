"""Features of edges as an operator beside an adjacency, as `Graphs.edge_attrs` holds them."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from smixup.graphs import SparseOperator
from smixup.graphs.edge_features import EDGE_ATTR


def edge_columns(
    adj: SparseOperator, edge_index: Tensor, values: Tensor
) -> dict[str, tuple[SparseOperator, ...]]:
    """Return what edges of weight one carry, all columns at the entries of the adjacency.

    Args:
        adj: the adjacency that was made of these edges, one entry at every place.
        edge_index: `[2, m]`, source and target, as `SparseOperator.from_edges` takes them.
        values: `[m, k]`.
    """
    n = adj.num_columns
    place, entry = torch.unique(edge_index[1] * n + edge_index[0], return_inverse=True)
    found = torch.zeros(len(place), values.size(1)).index_add_(0, entry, values.float())
    back = (place % max(n, 1) * n + place // max(n, 1)).argsort()  # the same edges, turned round
    symmetric = adj.symmetric and bool((found == found[back]).all())
    return {EDGE_ATTR: (replace(adj, weight=found, symmetric=symmetric),)}
