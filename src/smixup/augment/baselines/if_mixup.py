"""ifMixup (Guo and Mao 2023): mixing graphs node by node in the order in which they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import draw_beta, mixed_targets
from smixup.augment.pairing import draw_any
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges
from smixup.ranges import Positive


@dataclass
class IfMixup(RandomAugmentation):
    """Mixes features, edges and targets of pairs; the smaller graph gets empty nodes until it is as
    large.

    Attributes:
        a: first parameter of the distribution Beta(a, b) of the ratio lambda.
        b: second parameter; far below `a`, so that lambda is near one.
        seed: the seed of everything random.
    """

    a: Positive = 20.0
    b: Positive = 1.0

    purpose: ClassVar[str] = "if-mixup"
    mixes_targets: ClassVar[bool] = True
    reads_features: ClassVar[bool] = True
    averages_edges: ClassVar[bool] = True

    def on_batch(self, batch: Graphs) -> Graphs:
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        lam = draw_beta(len(batch), self.a, self.b, self.random).to(batch.x.device)
        return interpolate_in_order(batch, partner, lam)


def interpolate_in_order(batch: Graphs, partner: Tensor, lam: Tensor) -> Graphs:
    """Return `lam G1 + (1 - lam) G2` on as many nodes as the larger graph of each pair has; the G2
    of each is at `partner [B]`, a permutation.
    """
    sizes = torch.maximum(batch.sizes, batch.sizes[partner])
    ptr, of_nodes = offsets(sizes), lam.repeat_interleave(sizes)
    places = [ranges(first, batch.sizes) for first in (ptr[:-1], ptr[partner.argsort()])]
    nodes = Meeting.of(places, of_nodes)

    def mixed(edges: SparseOperator) -> SparseOperator:
        left, right = (edges.scatter(place, of_nodes.numel()) for place in places)
        return (of_nodes * left).add_unmerged((1 - of_nodes) * right)

    return batch.map_edges(mixed).replace(
        x=nodes.averaged(batch.x),
        ptr=ptr,
        set_id="",
        node_attrs={name: nodes.mixed(values) for name, values in batch.node_attrs.items()},
        **mixed_targets(batch, batch, lam, partner),
    )


@dataclass(frozen=True)
class Meeting:
    """The nodes of G1 and G2 that meet in each node of a mix, `behind [N, 2]`, -1 where a graph has
    no more; and `weight [N, 2]`, lambda and 1 - lambda, zero where there is no node.
    """

    behind: Tensor
    weight: Tensor

    @classmethod
    def of(cls, places: Sequence[Tensor], lam: Tensor) -> Meeting:
        """Take where each node goes as a node of G1, and as one of G2, `[n]`, and lambda `[N]`."""
        nodes = torch.arange(len(places[0]), device=lam.device)
        behind = [nodes.new_full(lam.shape, -1).index_copy_(0, place, nodes) for place in places]
        both = torch.stack(behind, 1)
        return cls(both, torch.stack([lam, 1 - lam], 1) * (both >= 0))

    def averaged(self, x: Tensor) -> Tensor:
        """Return features `[N, d]`: the weighted sum of those that meet."""
        row_ptr = torch.arange(0, self.behind.numel() + 1, 2, device=x.device)
        column = self.behind.flatten().clamp(min=0)
        return SparseOperator(row_ptr, column, self.weight.flatten(), len(x)) @ x

    def mixed(self, values: Tensor) -> Tensor:
        """Return an attribute: averaged if it is a number, else G1's, or G2's where G1 has none."""
        if values.is_floating_point():
            return self.averaged(values.reshape(len(values), -1)).reshape(-1, *values.shape[1:])
        first, second = self.behind.unbind(1)
        return values[torch.where(first >= 0, first, second)]
