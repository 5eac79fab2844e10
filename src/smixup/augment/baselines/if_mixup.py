"""ifMixup (Guo and Mao 2023): mixing graphs node by node in the order in which they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.partners import draw_any
from smixup.augment.ratio import draw_beta
from smixup.errors import require
from smixup.graphs import GraphBatch, SparseOperator
from smixup.graphs.ragged import offsets, ranges


@dataclass
class IfMixup(RandomAugmentation):
    """Mixes features, edges and targets of pairs; the smaller graph gets empty nodes until it is as
    large.

    Attributes:
        a: first parameter of the distribution Beta(a, b) of the ratio lambda.
        b: second parameter; far below `a`, so that lambda is near one.
        seed: of everything random.
    """

    a: float = 20.0
    b: float = 1.0

    purpose: ClassVar[str] = "if-mixup"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.a > 0, "a", self.a, "above 0")
        require(self.b > 0, "b", self.b, "above 0")

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Mix every graph with another one of the batch."""
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        lam = draw_beta(len(batch), self.a, self.b, self.random).to(batch.x.device)
        return interpolate_in_order(batch, partner, lam)


def interpolate_in_order(batch: GraphBatch, partner: Tensor, lam: Tensor) -> GraphBatch:
    """Return `lam G1 + (1 - lam) G2` on as many nodes as the larger graph of each pair has.

    Args:
        batch: G1, B graphs.
        partner: `[B]`, the place in the batch of the G2 of each; a permutation.
        lam: `[B]`, the ratio of each pair.
    """
    sizes = torch.maximum(batch.sizes, batch.sizes[partner])
    ptr, of_nodes = offsets(sizes), lam.repeat_interleave(sizes)
    left, right = (ranges(first, batch.sizes) for first in (ptr[:-1], ptr[partner.argsort()]))
    n, adj = of_nodes.numel(), batch.adj.to_sparse()
    return GraphBatch(
        x=_features(batch.x, left, right, of_nodes),
        adj=(of_nodes * adj.spread(left, n)).beside((1 - of_nodes) * adj.spread(right, n)),
        y=torch.lerp(batch.y[partner], batch.y, lam.unsqueeze(1)),
        ptr=ptr,
        ids=batch.ids,
        motif=None
        if batch.motif is None
        else batch.motif.new_zeros(n).index_copy_(0, left, batch.motif),
    )


def _features(x: Tensor, left: Tensor, right: Tensor, lam: Tensor) -> Tensor:
    """Return features `[N, d]` of the mixes, where node i of the batch goes to `left[i]` and
    `right[i]`.
    """
    nodes = torch.arange(len(x), device=x.device)
    behind = torch.stack(
        [nodes.new_full(lam.shape, -1).index_copy_(0, place, nodes) for place in (left, right)], 1
    )
    weight = torch.stack([lam, 1 - lam], 1) * (behind >= 0)
    row_ptr = torch.arange(0, 2 * lam.numel() + 1, 2, device=x.device)
    return SparseOperator(row_ptr, behind.flatten().clamp(min=0), weight.flatten(), len(x)) @ x
