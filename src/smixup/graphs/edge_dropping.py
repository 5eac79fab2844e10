"""Removing edges at random, both directions together."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.graphs.sparse import SparseOperator


def drop_edges(
    adj: SparseOperator, probability: Tensor, generator: torch.Generator
) -> SparseOperator:
    """Remove edges, both directions together, with the probability `[n]` of their nodes' graph."""
    edge, number = numbered_edges(adj)
    u = torch.rand(number, generator=generator).to(edge.device)
    return adj.mask_entries(u[edge] >= probability[adj.row])


def numbered_edges(adj: SparseOperator) -> tuple[Tensor, int]:
    """Return the number of every entry's edge `[m]`, the same for both directions, and how many
    edges there are.
    """
    low, high = torch.minimum(adj.row, adj.column), torch.maximum(adj.row, adj.column)
    edges, edge = torch.unique(low * adj.num_columns + high, return_inverse=True)
    return edge, edges.numel()
