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
from smixup.graphs import GraphBatch
from smixup.graphs.ragged import offsets, ranges


@dataclass
class IfMixup(RandomAugmentation):
    """Mixes features, edges and targets of pairs; the smaller graph gets empty nodes until it is as large.

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
        partner = draw_any(len(batch), len(batch), self.random)
        lam = draw_beta(len(batch), self.a, self.b, self.random)
        return interpolate_in_order(batch, batch.take(partner.to(batch.ptr.device)), lam.to(batch.x.device))


def interpolate_in_order(left: GraphBatch, right: GraphBatch, lam: Tensor) -> GraphBatch:
    """Return `lam G1 + (1 - lam) G2` on as many nodes as the larger graph of each pair has.

    Args:
        left: G1, B graphs.
        right: G2, their partners.
        lam: `[B]`, the ratio of each pair.
    """
    sizes = torch.maximum(left.sizes, right.sizes)
    ptr, of_nodes = offsets(sizes), lam.repeat_interleave(sizes)
    left, right = padded(left, ptr), padded(right, ptr)
    return left.replace(
        x=torch.lerp(right.x, left.x, of_nodes.unsqueeze(1)),
        adj=of_nodes * left.adj + (1 - of_nodes) * right.adj,
        y=torch.lerp(right.y, left.y, lam.unsqueeze(1)),
    )


def padded(graphs: GraphBatch, ptr: Tensor) -> GraphBatch:
    """Return the graphs with isolated nodes without features behind their own, so that they begin at `ptr [B + 1]`."""
    n, place = int(ptr[-1]), ranges(ptr[:-1], graphs.sizes)
    x = graphs.x.new_zeros(n, graphs.x.size(1)).index_copy_(0, place, graphs.x)
    motif = None if graphs.motif is None else graphs.motif.new_zeros(n).index_copy_(0, place, graphs.motif)
    return graphs.replace(x=x, adj=graphs.adj.to_sparse().spread(place, n), ptr=ptr, motif=motif)
