"""DropNode (You et al. 2020; Feng et al. 2020 use the word for hiding features)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from smixup.augment.structural import GivenNodes
from smixup.graphs import Graphs
from smixup.graphs.ragged import ranks
from smixup.ranges import Dropout
from smixup.seeding import rand


@dataclass
class DropNode(GivenNodes):
    """Deletes random nodes with their edges, afresh in every batch; no graph loses all of its
    nodes.

    Attributes:
        p: the share of nodes that each graph loses, rounded down to whole nodes.
        encode_degrees: where features are degrees, make them anew from the degrees that are left.
        seed: the seed of everything random.
    """

    p: Dropout = 0.2

    purpose: ClassVar[str] = "drop-node"

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return the graphs without some of their nodes."""
        u = rand(batch.num_nodes, generator=self.random, like=batch.ptr)
        lost = (self.p * batch.sizes).floor()
        return self.encoded(batch.subgraph(ranks(batch.ptr, u) >= lost[batch.batch]))
