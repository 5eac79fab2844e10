"""Triplets without classes: a graph with a target near the anchor's, and one with a target far from
it.

What Eq. (9) asks of graphs of one class and of two, it can ask of targets that are near and far: of
values, and of labels with gaps. Near are the nearest quarter of all targets, far the farthest half,
so that a quarter lies between them. Where so many targets are equally far that the two meet, as
those without a rare label do, whatever is nearer or farther than these counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.matching.target_distance import standardised, target_distances
from smixup.seeding import generator

NEAR, FAR = 0.25, 0.5
"""Shares of the other graphs, by distance of their targets."""
LEAST = 3
"""Graphs of a triplet."""
MOST = 1024
"""Graphs whose targets are compared, each with each; of more, so many are drawn."""


@dataclass(frozen=True)
class NearAndFar:
    """Draws (G1, G2, G3) with the target of G2 near that of G1, and that of G3 far from it.

    Attributes:
        pool: `[P]`, the graphs that are drawn from.
        anchors: `[A]`, those of them whose targets tell others apart, by their places in the pool.
        order: `[P, P]`, places in the pool by distance from each.
        near: `[P]`, how many from the beginning of a row of `order` are near.
        far: `[P, 2]`, where those that are far begin and end in it.
    """

    pool: Tensor
    anchors: Tensor
    order: Tensor
    near: Tensor
    far: Tensor

    @classmethod
    def of(cls, y: Tensor, seed: int = 0) -> NearAndFar | None:
        """Prepare sampling from graphs with targets `[G, T]`, NaN where they are not known; None
        if these tell no graph from another.
        """
        z = standardised(y.cpu())
        pool = drawn_pool(z, generator(seed, "near and far graphs"))
        if len(pool) < LEAST:
            return None
        distance, order = target_distances(z[pool]).sort(dim=1, stable=True)  # NaN comes last
        near, far = bounds(distance)
        anchors = ((near > 0) & (far[:, 0] < far[:, 1])).nonzero().squeeze(1)
        return cls(pool, anchors, order, near, far) if anchors.numel() else None

    def draw(self, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return three index tensors `[number]`."""
        chosen = torch.randint(self.anchors.numel(), (number,), generator=generator)
        u, v = torch.rand(2, number, generator=generator, dtype=torch.double)
        anchor = self.anchors[chosen]
        first, end = self.far[anchor].unbind(1)
        near = self.order[anchor, (u * self.near[anchor]).long()]
        far = self.order[anchor, first + (v * (end - first)).long()]
        return self.pool[anchor], self.pool[near], self.pool[far]


def drawn_pool(z: Tensor, random: torch.Generator) -> Tensor:
    """Return the graphs to compare, in order: all of which anything is known, or `MOST` of them.

    Those with unusual targets `z [G, T]`, standardised, are drawn first: a label that one graph in
    ten thousand has would be missed otherwise.
    """
    known = ~z.isnan()
    some = known.any(1).nonzero().squeeze(1)
    if some.numel() <= MOST:
        return some
    unusual = torch.where(known, z, 0.0).square().sum(1) / known.sum(1).clamp(min=1)
    chosen = torch.multinomial(1 + unusual[some], MOST, generator=random)
    return some[chosen].sort().values


def bounds(distance: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many of each row are near `[P]`, and where the far ones begin and end `[P, 2]`.

    Args:
        distance: `[P, P]`, every row sorted, what is not known (NaN) at its end.
    """
    count = (~distance.isnan()).sum(1)
    distance = distance.nan_to_num(torch.inf)

    def at(place: Tensor) -> Tensor:
        return distance.gather(1, place.clamp(0, distance.size(1) - 1).unsqueeze(1))

    close = at((NEAR * count).ceil().long() - 1)
    remote = at(count - (FAR * count).ceil().long())
    largest = at(count - 1)
    inside = distance < torch.inf
    meet, farther = remote == close, largest > close
    near = torch.where(meet & ~farther, distance < close, distance <= close) & inside
    far = torch.where(meet & farther, distance > close, distance >= remote) & inside
    return near.sum(1), torch.stack([count - far.sum(1), count], 1)
