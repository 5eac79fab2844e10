"""DropEdge (Rong et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from smixup.augment.structural import StructuralAugmentation
from smixup.errors import require
from smixup.graphs import GraphBatch
from smixup.graphs.edge_dropping import drop_edges


@dataclass
class DropEdge(StructuralAugmentation):
    """Removes random edges, both directions together, afresh in every batch.

    Attributes:
        drop: the probability that an edge is removed.
        seed: of everything random.
    """

    drop: float = 0.2

    purpose: ClassVar[str] = "drop-edge"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.drop <= 1, "drop", self.drop, "between 0 and 1")

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Return the graphs without some of their edges."""
        probability = batch.x.new_full((batch.num_nodes,), self.drop)
        return self.encoded(
            batch.replace(adj=drop_edges(batch.adj.to_sparse(), probability, self.random))
        )
