"""Edges, nodes and parts that are dropped at random in every batch, and smoothed labels. Features
that are degrees stay what they were in the whole graph, as in published code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch

from smixup.augment.base import Augmentation, RandomAugmentation
from smixup.augment.growth import at_random, grown
from smixup.graphs import Graphs
from smixup.graphs.ragged import ranks
from smixup.graphs.sparse import drop_edges
from smixup.seeding import rand
from smixup.settings import Count, Dropout, PositiveShare, Share


@dataclass
class DropEdge(RandomAugmentation):
    """Removes random edges, both directions together, afresh in every batch (Rong et al. 2020).

    Attributes:
        p: the probability that an edge is removed.
    """

    p: Share = 0.2

    purpose: ClassVar[str] = "drop-edge"

    def on_batch(self, batch: Graphs) -> Graphs:
        probability = torch.full((batch.num_nodes,), self.p, device=batch.device)
        return batch.with_adj(drop_edges(batch.adj, probability, self.random))


@dataclass
class DropNode(RandomAugmentation):
    """Deletes random nodes with their edges, afresh in every batch (You et al. 2020); no graph
    loses all of its nodes.

    Attributes:
        p: the share of nodes that each graph loses, rounded down to whole nodes.
    """

    p: Dropout = 0.2

    purpose: ClassVar[str] = "drop-node"

    def on_batch(self, batch: Graphs) -> Graphs:
        u = rand(batch.num_nodes, generator=self.random, like=batch.ptr)
        lost = (self.p * batch.sizes).floor()
        return batch.subgraph(ranks(batch.ptr, u) >= lost[batch.batch])


@dataclass
class Subgraph(RandomAugmentation):
    """Keeps a connected part of every graph, grown from a random node by random nodes of its
    frontier (You et al. 2020).

    Attributes:
        keep: the share of nodes kept, rounded up; less where the start's component is smaller.
    """

    keep: PositiveShare = 0.8

    purpose: ClassVar[str] = "subgraph"

    def on_batch(self, batch: Graphs) -> Graphs:
        wanted = (self.keep * batch.sizes).ceil()
        return batch.subgraph(grown(batch, wanted, at_random, self.random))


@dataclass
class LabelSmoothing(Augmentation):
    """Trains on `(1 - epsilon) y + epsilon / C` (Szegedy et al. 2016), a control: whatever mixes
    targets also softens them.

    Attributes:
        epsilon: share of every target that goes to all C classes alike.
        num_classes: how wide integer labels become in a PyG loop; learnt by `fit`.
    """

    epsilon: Share = 0.1
    num_classes: Count | None = field(default=None, kw_only=True)

    needs_classes: ClassVar[str] = "gives a share of every target to all classes alike"

    def on_batch(self, batch: Graphs) -> Graphs:
        return batch.replace(y=(1 - self.epsilon) * batch.y + self.epsilon / batch.num_classes)
