"""How well two nodes go together before any solver has looked at their neighbourhoods; shared by
the classical solvers.

The affinity K of a pair `[n1 n2, n1 n2]` has node affinities N on its diagonal and products of edge
weights elsewhere: two edges go together as their weights do. Hence
`K vec(X) = vec(N * X + A1 X A2^T)`, and K itself is rarely needed.
"""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.matching.pairs import PairBlock
from smixup.matching.similarity import euclidean

SMALLEST = 1e-6


def node_affinity(
    block: PairBlock, degree_width: float = 1.0, feature_width: float = 1.0
) -> Tensor:
    """Return N `[b, N1, N2]`: a Gaussian of the degrees' difference, plus one of the features'
    where there are any.

    Cells of a pair are positive, however far apart their nodes are, so that a walk can always go
    on; others are zero.

    Args:
        block: pairs of graphs.
        degree_width: squared difference of (weighted) degrees at which the first Gaussian has
            fallen to 1/e.
        feature_width: squared distance of features at which the second one has.
    """
    difference = block.A1.sum(2).unsqueeze(2) - block.A2.sum(2).unsqueeze(1)
    N = torch.exp(-difference.square() / degree_width)
    if block.x1.size(2):
        N = N + torch.exp(-euclidean(block.x1, block.x2).square() / feature_width)
    return torch.where(block.mask, N.clamp(min=SMALLEST), 0.0)


def apply_affinity(N: Tensor, A1: Tensor, A2: Tensor, X: Tensor) -> Tensor:
    """Return `K vec(X)` as `[b, N1, N2]` without K."""
    return torch.baddbmm(N * X, A1 @ X, A2.transpose(1, 2))


def dense_affinity(N: Tensor, A1: Tensor, A2: Tensor) -> Tensor:
    """Return K of one pair, `[n2 n1, n2 n1]`: nodes of G1 run fastest, so that vec stacks the
    columns of X.
    """
    return torch.kron(A2, A1) + N.T.flatten().diag()
