"""ifMixup (Guo and Mao 2023): mixing graphs node by node in the order in which they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import draw_beta, mixed_targets
from smixup.augment.pairing import draw_any
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges
from smixup.settings import Positive


@dataclass
class IfMixup(RandomAugmentation):
    """Mixes features, edges and targets of pairs; the smaller graph gets empty nodes until it is as
    large.

    Attributes:
        a: first parameter of the distribution Beta(a, b) of the ratio lambda.
        b: second parameter; far below `a`, so that lambda is near one.
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

    behind = batch.ptr.new_full((len(of_nodes), 2), -1)  # the nodes of G1 and G2 that meet in each
    for side, place in enumerate(places):
        behind[place, side] = torch.arange(batch.num_nodes, device=lam.device)
    weight = torch.stack([of_nodes, 1 - of_nodes], 1) * (behind >= 0)
    row_ptr = torch.arange(0, behind.numel() + 1, 2, device=lam.device)
    column = behind.flatten().clamp(min=0)
    meeting = SparseOperator(row_ptr, column, weight.flatten(), batch.num_nodes)

    def edges(adj: SparseOperator) -> SparseOperator:
        left, right = (adj.scatter(place, len(of_nodes)) for place in places)
        return (of_nodes * left).add_unmerged((1 - of_nodes) * right)

    def attribute(values: Tensor) -> Tensor:
        """Average numbers; others are G1's, or G2's where G1 has no more nodes."""
        if not values.is_floating_point():
            return values[torch.where(behind[:, 0] >= 0, behind[:, 0], behind[:, 1])]
        return (meeting @ values.reshape(len(values), -1)).reshape(-1, *values.shape[1:])

    return batch.map_edges(edges).replace(
        x=meeting @ batch.x,
        ptr=ptr,
        set_id="",
        node_attrs={name: attribute(values) for name, values in batch.node_attrs.items()},
        **mixed_targets(batch, batch, lam, partner),
    )
