"""How alike two nodes are: `sim` of Eq. (7) and (8)."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

Similarity = Callable[[Tensor, Tensor], Tensor]
TINY = 1e-12


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

    Squares are computed in double precision: the root of a small difference of large squares would
    otherwise be rounding, and nodes that differ by little could not be told apart.
    """
    z1, z2 = h1.double(), h2.double()
    squares = z1.square().sum(-1).unsqueeze(-1) + z2.square().sum(-1).unsqueeze(-2)
    square = torch.baddbmm(squares, z1, z2.transpose(-1, -2), alpha=-2).clamp(min=TINY)
    return -square.to(h1.dtype).sqrt()


def dot_of_rows(h1: Tensor, h2: Tensor) -> Tensor:
    """Return `dot` of each row with its row, `[m, H], [m, H] -> [m]`."""
    return (h1 * h2).sum(1) / math.sqrt(h1.size(1))


def cosine_of_rows(h1: Tensor, h2: Tensor) -> Tensor:
    """Return `cosine` of each row with its row."""
    return (F.normalize(h1, dim=1) * F.normalize(h2, dim=1)).sum(1)


def euclidean_of_rows(h1: Tensor, h2: Tensor) -> Tensor:
    """Return `euclidean` of each row with its row; a difference is taken before it is squared."""
    return -(h1 - h2).square().sum(1).clamp(min=TINY).sqrt()


SIMILARITIES: dict[str, Similarity] = {"dot": dot, "cosine": cosine, "euclidean": euclidean}
ROW_BY_ROW: dict[Similarity, Similarity] = {
    dot: dot_of_rows,
    cosine: cosine_of_rows,
    euclidean: euclidean_of_rows,
}
