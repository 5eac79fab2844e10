"""Removing edges at random."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.graphs.sparse import SparseOperator


def drop_edges(
    adj: SparseOperator, probability: Tensor, generator: torch.Generator
) -> SparseOperator:
    """Remove edges, both directions together, with the probability `[n]` of their nodes' graph."""
    low, high = torch.minimum(adj.row, adj.column), torch.maximum(adj.row, adj.column)
    edges, edge = torch.unique(low * adj.num_columns + high, return_inverse=True)
    u = torch.rand(edges.numel(), generator=generator).to(edge.device)
    return adj.mask_entries(u[edge] >= probability[adj.row])
