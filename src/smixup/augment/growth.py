"""Connected parts of graphs, grown from a random node: a node joins some time after its first
neighbour has, and which times are drawn decides what a part looks like.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.ragged import ranks

Waits = Callable[[int, torch.Generator], Tensor]
"""Draws how long each of n nodes waits once a neighbour has joined, `[n]`, double, above zero."""


def at_random(number: int, generator: torch.Generator) -> Tensor:
    """Wait for exponentially distributed times: they have no memory, so at any moment each node of
    the frontier is equally likely to be next.
    """
    times = torch.empty(number, dtype=torch.double)
    return times.exponential_(generator=generator).clamp_(min=1e-12)


def by_hops(number: int, generator: torch.Generator) -> Tensor:
    """Wait for one hop each, and within a hop in random order: breadth first. On no way do the
    random shares add up to a hop.
    """
    return 1 + torch.rand(number, generator=generator, dtype=torch.double) / (number + 1)


def grown(batch: Graphs, wanted: Tensor, waits: Waits, generator: torch.Generator) -> Tensor:
    """Return a connected part of every graph, `[n]` bool, grown from a random node to `wanted [B]`
    nodes, fewer where the component of its first node has fewer.
    """
    u, sizes = torch.rand(len(batch), generator=generator), batch.sizes.cpu()
    start = (batch.ptr[:-1].cpu() + (u * sizes).long())[sizes > 0]
    wait = waits(batch.num_nodes, generator)
    if not len(start):
        return torch.zeros_like(batch.batch, dtype=torch.bool)
    adj = batch.adj.to("cpu")
    entries = (wait[adj.column].numpy(), adj.column.numpy(), adj.row_ptr.numpy())
    times = dijkstra(csr_matrix(entries, shape=adj.shape), indices=start.numpy(), min_only=True)
    arrival = torch.from_numpy(np.asarray(times)).to(batch.device)
    return (ranks(batch.ptr, arrival) < wanted[batch.batch]) & arrival.isfinite()
