"""Subgraph (You et al. 2020): a connected part grown from a random node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from smixup.augment.growth import at_random, grown
from smixup.augment.structural import GivenNodes
from smixup.graphs import Graphs
from smixup.ranges import PositiveShare


@dataclass
class Subgraph(GivenNodes):
    """Keeps a connected part of every graph, grown from a random node by random nodes of its
    frontier.

    Attributes:
        keep: the share of nodes kept, rounded up; less where the start's component is smaller.
        encode_degrees: where features are degrees, make them anew from the degrees that are left.
        seed: the seed of everything random.
    """

    keep: PositiveShare = 0.8

    purpose: ClassVar[str] = "subgraph"

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return a part of every graph."""
        wanted = (self.keep * batch.sizes).ceil()
        return self.encoded(batch.subgraph(grown(batch, wanted, at_random, self.random)))
