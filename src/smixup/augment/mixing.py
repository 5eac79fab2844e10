"""Carrying one graph onto another by an assignment, and mixing the two (Eq. 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import GraphBatch, Operator


@dataclass(frozen=True)
class Transformed:
    """G2' = (A2', X2'): graphs of the right, carried onto the nodes of their left partners.

    Attributes:
        x: `X2' [n1, d]`.
        adj: `A2' [n1, n1]`.
        y: their targets `[B, C]`.
        channels: their edge attributes, carried over as A2' is.
    """

    x: Tensor
    adj: Operator
    y: Tensor
    channels: tuple[Operator, ...] = ()


def transform(M: Operator, right: GraphBatch) -> Transformed:
    """Return `A2' = M A2 M^T` and `X2' = M X2`, Eq. (4).

    Note:
        The diagonal of `M A2 M^T` is removed. It is not zero where neighbours of G2 share a node of
        G1, and a layer that adds self-loops of its own would take it for one.
    """
    A2, X2 = right.adj, right.x
    channels = tuple(M @ C2 @ M.T for C2 in right.channels)
    return Transformed(M @ X2, (M @ A2 @ M.T).without_loops(), right.y, channels)


def interpolate(left: GraphBatch, right: Transformed, lam: Tensor) -> GraphBatch:
    """Return `lam G1 + (1 - lam) G2'` in features, edges and targets, Eq. (5).

    Args:
        left: G1, B graphs.
        right: G2', on the nodes of G1.
        lam: `[B]`, the ratio of each pair.
    """
    of_nodes = lam[left.batch]
    channels = zip(left.channels, right.channels, strict=True)
    return left.replace(
        x=torch.lerp(right.x, left.x, of_nodes.unsqueeze(1)),
        adj=(1 - of_nodes) * right.adj + of_nodes * left.adj,
        y=torch.lerp(right.y, left.y, lam.unsqueeze(1)),
        channels=tuple((1 - of_nodes) * C2 + of_nodes * C1 for C1, C2 in channels),
    )
