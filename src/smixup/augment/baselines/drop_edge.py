"""DropEdge (Rong et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from smixup.augment.structural import GivenNodes
from smixup.graphs import Graphs
from smixup.graphs.edge_dropping import drop_edges
from smixup.ranges import Share


@dataclass
class DropEdge(GivenNodes):
    """Removes random edges, both directions together, afresh in every batch.

    Attributes:
        p: the probability that an edge is removed.
        encode_degrees: where features are degrees, make them anew from the degrees that are left.
        seed: the seed of everything random.
    """

    p: Share = 0.2

    purpose: ClassVar[str] = "drop-edge"

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return the graphs without some of their edges."""
        probability = torch.full((batch.num_nodes,), self.p, device=batch.device)
        adj = drop_edges(batch.adj.to_sparse(), probability, self.random)
        return self.encoded(batch.with_adj(adj))
