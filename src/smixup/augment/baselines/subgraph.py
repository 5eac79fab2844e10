"""Subgraph (You et al. 2020): a connected part grown from a random node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from torch import Tensor

from smixup.augment.structural import StructuralAugmentation
from smixup.errors import require
from smixup.graphs import Graphs
from smixup.graphs.ragged import ranks


@dataclass
class Subgraph(StructuralAugmentation):
    """Keeps a connected part of every graph, grown from a random node by random nodes of its
    frontier.

    Attributes:
        keep: the share of nodes kept, rounded up; less where the start's component is smaller.
        seed: of everything random.
    """

    keep: float = 0.8

    purpose: ClassVar[str] = "subgraph"

    def __post_init__(self) -> None:
        require(0 < self.keep <= 1, "keep", self.keep, "above 0 and at most 1")

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return a part of every graph."""
        arrival = arrival_times(batch, self.random)
        wanted = (self.keep * batch.sizes).ceil()
        early = ranks(batch.ptr, arrival) < wanted[batch.batch]
        return self.encoded(batch.subgraph(early & arrival.isfinite()))


def arrival_times(batch: Graphs, generator: torch.Generator) -> Tensor:
    """Grow from a random node of every graph, and return when each node is reached `[n]`; infinity
    if never.

    A node joins an exponentially distributed time after its first neighbour has. That time has no
    memory, so at any moment each node of the frontier is equally likely to be next, and all graphs
    grow in one shortest-path search.
    """
    start = (
        batch.ptr[:-1].cpu()
        + (torch.rand(len(batch), generator=generator) * batch.sizes.cpu()).long()
    )
    wait = (
        torch.empty(batch.num_nodes, dtype=torch.double)
        .exponential_(generator=generator)
        .clamp_(min=1e-12)
    )
    adj = batch.adj.to_sparse().to("cpu")
    entries = (wait[adj.column].numpy(), adj.column.numpy(), adj.row_ptr.numpy())
    times = dijkstra(csr_matrix(entries, shape=adj.shape), indices=start.numpy(), min_only=True)
    return torch.from_numpy(np.asarray(times)).to(batch.ptr.device)
