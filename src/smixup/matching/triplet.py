"""Triplets: graphs of one class should lie closer together than graphs of two (Eq. 9, Alg. 1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.objective import ObjectiveResult
from smixup.matching.pairs import Pairs
from smixup.ranges import NotNegative, RangedFields


class Triplets(Protocol):
    """Draws an anchor, a graph that is like it, and one that is not."""

    def draw(self, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return three index tensors `[number]`."""
        ...


@dataclass(frozen=True)
class TripletSampler:
    """Draws (G1, G2, G3) with G1 and G2 of one class and G3 of another.

    Attributes:
        order: `[G]`, graphs sorted by class.
        place: `[G]`, the position of every graph in `order`.
        first, count: `[G]`, where the graphs of a graph's class begin in `order`, and how many they
            are.
    """

    order: Tensor
    place: Tensor
    first: Tensor
    count: Tensor

    @classmethod
    def of(cls, labels: Tensor) -> TripletSampler:
        """Prepare sampling from graphs with the given classes `[G]`; there must be two classes at
        least.
        """
        classes, label = torch.unique(labels.cpu(), return_inverse=True)
        if classes.numel() < 2:
            raise SmixupError("triplets need graphs of two classes at least.")
        order = label.argsort(stable=True)
        counts = label.bincount()
        return cls(order, order.argsort(), (counts.cumsum(0) - counts)[label], counts[label])

    def draw(self, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return three index tensors `[number]`; a graph alone in its class is its own G2."""
        anchor = torch.randint(self.order.numel(), (number,), generator=generator)
        u, v = torch.rand(2, number, generator=generator, dtype=torch.double)
        first, count = self.first[anchor], self.count[anchor]
        others = (count - 1).clamp(min=1)
        positive = (u * others).long()
        own = self.place[anchor] - first
        positive = torch.where(count > 1, positive + (positive >= own), 0)
        negative = (v * (self.order.numel() - count)).long()
        negative = negative + count * (negative >= first)
        return anchor, self.order[first + positive], self.order[negative]


@dataclass(frozen=True)
class TripletObjective(RangedFields):
    """Trains the network to tell which graphs are alike.

    Attributes:
        graphs: the graphs to learn from.
        inputs: what the network sees of them.
        margin: gamma of Eq. (9).
        triplets: who is like whom, see `matching/lessons.py`; by class if not given.
    """

    graphs: Graphs
    inputs: NodeInput
    margin: NotNegative
    triplets: Triplets | None = None

    name = "triplet accuracy"

    @cached_property
    def sampler(self) -> Triplets:
        """Draws from the graphs."""
        return self.triplets or TripletSampler.of(self.graphs.labels)

    def __call__(
        self, network: MatchingNetwork, size: int, generator: torch.Generator
    ) -> ObjectiveResult:
        """Draw `size` triplets; the score is the share of them in the right order."""
        anchor, positive, negative = self.sampler.draw(size, generator)
        left = self.graphs[torch.cat([anchor, anchor])]
        right = self.graphs[torch.cat([positive, negative])]
        distances = graph_distances(network, Pairs.of(self.inputs(left), self.inputs(right)))
        same, different = distances.split(size)
        return ObjectiveResult(
            triplet_loss(same, different, self.margin), triplet_accuracy(same, different)
        )


def graph_distances(network: MatchingNetwork, pairs: Pairs) -> Tensor:
    """Return squared distances between the two graph representations of every pair, `[B]`."""
    return network.distances(network(pairs), pairs)


def triplet_loss(same: Tensor, different: Tensor, margin: float) -> Tensor:
    """Return Eq. (9) with `sim` the negative squared distance between graph representations.

    Args:
        same: squared distances between G1 and G2, `[T]`.
        different: squared distances between G1 and G3, `[T]`.
        margin: gamma.
    """
    return torch.relu(same - different + margin).mean()


def triplet_accuracy(same: Tensor, different: Tensor) -> Tensor:
    """Return the share of triplets whose G2 is closer to G1 than G3 is."""
    return (same < different).float().mean()
