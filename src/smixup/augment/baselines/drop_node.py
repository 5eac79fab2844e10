"""DropNode (You et al. 2020; Feng et al. 2020 use the word for hiding features)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from smixup.augment.structural import StructuralAugmentation
from smixup.errors import require
from smixup.graphs import GraphBatch
from smixup.graphs.ragged import ranks


@dataclass
class DropNode(StructuralAugmentation):
    """Deletes random nodes with their edges, afresh in every batch; no graph loses all of its
    nodes.

    Attributes:
        drop: the share of nodes that each graph loses, rounded down to whole nodes.
        seed: of everything random.
    """

    drop: float = 0.2

    purpose: ClassVar[str] = "drop-node"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.drop < 1, "drop", self.drop, "at least 0 and below 1")

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Return the graphs without some of their nodes."""
        u = torch.rand(batch.num_nodes, generator=self.random).to(batch.ptr.device)
        lost = (self.drop * batch.sizes).floor()
        return self.encoded(batch.induced(ranks(batch.ptr, u) >= lost[batch.batch]))
