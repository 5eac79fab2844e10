"""How alike two nodes are: `sim` of Eq. (7) and (8)."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

Similarity = Callable[[Tensor, Tensor], Tensor]
TINY = 1e-9


def dot(h1: Tensor, h2: Tensor) -> Tensor:
    """Return inner products, scaled by the width as in attention,
    `[..., N1, H], [..., N2, H] -> [..., N1, N2]`.
    """
    return (h1 / math.sqrt(h1.size(-1))) @ h2.transpose(-1, -2)


def cosine(h1: Tensor, h2: Tensor) -> Tensor:
    """Return the cosines of the angles; a zero row is at right angles to everything."""
    return F.normalize(h1, dim=-1) @ F.normalize(h2, dim=-1).transpose(-1, -2)


def euclidean(h1: Tensor, h2: Tensor) -> Tensor:
    """Return negative distances `-|h1 - h2|`.

    Both sides are moved by the mean of the first, which no distance feels, before they are
    multiplied: what they have in common would otherwise drown small differences in rounding.
    """
    centre = h1.mean(-2, keepdim=True)
    h1, h2 = h1 - centre, h2 - centre
    squares = h1.square().sum(-1).unsqueeze(-1) + h2.square().sum(-1).unsqueeze(-2)
    return -torch.baddbmm(squares, h1, h2.transpose(-1, -2), alpha=-2).clamp(min=TINY).sqrt()


SIMILARITIES: dict[str, Similarity] = {"dot": dot, "cosine": cosine, "euclidean": euclidean}
