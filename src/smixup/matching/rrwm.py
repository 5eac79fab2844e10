"""Reweighted random walks (Cho et al. 2010), for all pairs of a batch at once and without the
affinity of pairs.

The affinity K of a pair `[n1 n2, n1 n2]` has node affinities N on its diagonal and products of edge
weights elsewhere: two edges go together as their weights do. Hence
`K vec(X) = vec(N * X + A1 X A2^T)`, and K itself is rarely needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.matching.assign import SolverMatcher
from smixup.matching.network import euclidean
from smixup.matching.pairs import PairBlock
from smixup.settings import Count

JUMP, SHARPNESS, SINKHORN_STEPS = 0.2, 30.0, 20
"""Weight of the jump, alpha; the inflation before it, beta; and normalisations of rows or columns
within it, as pygmtools has them.
"""
SMALLEST = 1e-6


@dataclass
class RRWM(SolverMatcher):
    """Walks on the graph of candidate matches, which jump towards what obeys one-to-one
    constraints.

    A step costs `n1 n2 (n1 + n2)` operations instead of `(n1 n2)^2`. Where a graph has symmetries,
    rounding decides between candidates that tie.

    Attributes:
        steps: how many steps the walk takes.
    """

    steps: Count = 50

    def solve(self, block: PairBlock) -> Tensor:
        """Return where the walk is after all steps, `[b, N1, N2]`, summing to one per pair."""
        N, A1, A2, mask = node_affinity(block), block.A1, block.A2, block.mask
        exists = mask.to(N.dtype)
        sums = apply_affinity(N, A1, A2, exists)
        largest = sums.amax((1, 2), keepdim=True)
        least = torch.where(mask, sums, torch.inf).amin((1, 2), keepdim=True)
        # K is divided by its largest row sum: the walk may be absorbed.
        scale = 1 / (largest + 1e-5 * least)
        N, A1 = N * scale, A1 * scale
        X = _total_one(exists)
        for _ in range(self.steps):
            X = _total_one(apply_affinity(N, A1, A2, X))
            inflated = torch.exp(SHARPNESS * (X / X.amax((1, 2), keepdim=True) - 1))
            target = balanced(exists * inflated, SINKHORN_STEPS)
            X = _total_one(JUMP * target + (1 - JUMP) * X)
        return X


def _total_one(X: Tensor) -> Tensor:
    return X / X.sum((1, 2), keepdim=True)


def balanced(E: Tensor, steps: int) -> Tensor:
    """Normalise rows and columns of `E [b, N1, N2]` in turn, `steps` normalisations in all; the
    side with fewer nodes comes first, empty rows and columns stay empty.
    """
    rows, columns = ((E.sum(dim, keepdim=True) > 0) for dim in (2, 1))
    wide = columns.sum(2, keepdim=True) >= rows.sum(1, keepdim=True)
    u, v = rows.to(E.dtype), columns.to(E.dtype).transpose(1, 2)
    rows, columns = ~rows, ~columns.transpose(1, 2)
    ET = E.transpose(1, 2).contiguous()
    for step in range(steps + 1):  # wide pairs miss the last turn, others the first
        active = wide if step == 0 else ~wide if step == steps else torch.ones_like(wide)
        if step % 2 == 0:
            u = torch.where(active, 1 / (E @ v + rows), u)
        else:
            v = torch.where(active, 1 / (ET @ u + columns), v)
    return u * E * v.transpose(1, 2)


def node_affinity(block: PairBlock) -> Tensor:
    """Return N `[b, N1, N2]`: a Gaussian of the degrees' difference, plus one of the features'
    where there are any; positive in a pair, so that a walk can always go on, else zero.
    """
    difference = block.A1.sum(2).unsqueeze(2) - block.A2.sum(2).unsqueeze(1)
    N = torch.exp(-difference.square())
    if block.x1.size(2):
        N = N + torch.exp(-euclidean(block.x1, block.x2).square())
    return torch.where(block.mask, N.clamp(min=SMALLEST), 0.0)


def apply_affinity(N: Tensor, A1: Tensor, A2: Tensor, X: Tensor) -> Tensor:
    """Return `K vec(X)` as `[b, N1, N2]` without K."""
    return torch.baddbmm(N * X, A1 @ X, A2.transpose(1, 2))
