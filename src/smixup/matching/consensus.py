"""Neighbourhood consensus: an alignment that carries edges.

Nodes that 1-WL cannot tell apart have equal scores, so a softmax spreads a node over all of them
and `M A2 M^T` blurs just the edges between them. No temperature helps: ties must be broken, and
neighbours must break them in the same way. So the neighbours are asked (the idea of graduated
assignment, Gold and Rangarajan 1996, and of Fey et al. 2020): a match of i and j gains from every
match of a neighbour of i with a neighbour of j.

    S_0 = (log softmax_rows(scores) + log softmax_columns(scores)) / 2 + noise
    M   = partial Sinkhorn of S_0
    S_t = S_0 + beta_t A1 M A2,   M = partial Sinkhorn of S_t,   beta_t = beta growth^t

In the partial Sinkhorn every node of either side is used at most once: what finds no counterpart
goes to a bin. `consensus` keeps the last M, `one-to-one` rounds the last scores by the Hungarian
method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.matching import sparse_consensus, sparse_rounding
from smixup.matching.assignment import NEVER
from smixup.matching.normalization import Normalization, cleared
from smixup.matching.pairs import PairBlock
from smixup.matching.tables import rows_of, with_data
from smixup.matching.tie_breaks import tie_breaks
from smixup.ranges import NotNegative, Positive, Range, Rounds, Seed, Steps

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from smixup.matching.candidates import Candidates

LARGE = 256
"""Nodes from which on neighbours are summed along the edges instead of by a dense product."""
NOTHING = -60.0
"""Logarithm of what is as good as zero. The exponential of less is zero or a denormal number, and
takes five times as long, or fifteen; this leaves room for products with it.
"""


@dataclass(frozen=True)
class Consensus(Normalization):
    """A soft assignment in which every node of either side is used at most once, and neighbours
    agree.

    Attributes:
        rounds: how often neighbours are asked. On MOTIF, of the edges of a motif 84 % arrive
            without asking, 97 % after five rounds and 99 % after ten, all rounded one to one; at
            fifteen ties are decided too early, and it is 97 % again.
        steps: steps of the partial Sinkhorn in every round; with two, one per cent of the edges is
            lost.
        noise: deviation of what is added to the scores to break ties; it must be small beside
            differences that mean something. At 0.5, 5 % of the nodes of a shuffled copy are no
            longer found; without any, 5 % of the edges are lost.
        beta: weight of the neighbours in the first round.
        growth: factor of that weight from round to round; it makes decisions gradually.
        bin: the score at which a node stays without counterpart.
        seed: the seed of the noise.
    """

    rounds: Rounds = 10
    steps: Steps = 8
    noise: NotNegative = 0.05
    beta: NotNegative = 1.0
    growth: Positive = 1.2
    bin: Annotated[float, Range(-50, 50)] = -4.0
    seed: Seed = 0

    name: ClassVar[str] = "consensus"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        M = partial_sinkhorn(self.agreed(scores, block), self.bin, self.steps)
        # Columns were scaled last; rows may still be a little above one.
        return cleared(M / M.sum(2, keepdim=True).clamp(min=1.0), block.mask)

    def on_candidates(self, found: Candidates) -> csr_matrix:
        _, S = sparse_consensus.agreed(found, self)
        M = sparse_consensus.partial_sinkhorn(S, self.bin, self.steps)
        sums = np.maximum(np.asarray(M.sum(1)).ravel(), 1.0)
        return with_data(M, M.data / sums[rows_of(M)])

    def agreed(self, scores: Tensor, block: PairBlock) -> Tensor:
        """Return the scores `[b, N1, N2]` after all rounds, of size `NEVER` outside a pair."""
        mask = block.mask
        scores = scores.masked_fill(~mask, NEVER)
        S0 = (scores.log_softmax(1) + scores.log_softmax(2)) / 2
        if self.noise:
            _, N1, N2 = S0.shape
            S0 = S0 + self.noise * tie_breaks(N1, N2, self.seed).to(S0.device)
        S = S0 = S0.masked_fill(~mask, NEVER)
        for t in range(self.rounds):
            M = partial_sinkhorn(S, self.bin, self.steps)
            S = with_neighbours(S0, block.A1, M, block.A2, self.beta * self.growth**t)
        return S


@dataclass(frozen=True)
class OneToOne(Consensus):
    """A one-to-one alignment: the scores that `Consensus` ends with, rounded by the Hungarian
    method.

    As many nodes are matched as the smaller graph has. `M A2 M^T` is a graph with edges of G2: no
    more entries, no sums, no loops.
    """

    name: ClassVar[str] = "one-to-one"
    sparse: ClassVar[bool] = True

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        return best_matches(self.agreed(scores, block), block)

    def on_candidates(self, found: Candidates) -> csr_matrix:
        return sparse_rounding.one_to_one(found, self)


def partial_sinkhorn(S: Tensor, bin: float, steps: int) -> Tensor:
    """Return `u exp(S) v` whose rows and columns sum to one with what goes to the bins.

    Args:
        S: scores `[b, N1, N2]`.
        bin: score of a node's own bin.
        steps: how often rows and columns are scaled, in this order.
    """
    shift = S.amax(2, keepdim=True).clamp(min=bin)  # the largest entry of a row becomes one
    K, row_bin = (S - shift).clamp_(min=NOTHING).exp_(), (bin - shift).exp_().transpose(1, 2)
    Kt = K.transpose(1, 2)
    # Rows times matrices: several times faster than matrices times columns.
    v = S.new_ones(S.size(0), 1, S.size(2))
    u, column_bin = torch.zeros_like(row_bin), torch.full_like(v, math.exp(bin))
    for _ in range(steps):
        u = torch.baddbmm(row_bin, v, Kt).reciprocal_()
        v = torch.baddbmm(column_bin, u, K).reciprocal_()
    return K * u.transpose(1, 2) * v


def with_neighbours(S: Tensor, A1: Tensor, M: Tensor, A2: Tensor, beta: float) -> Tensor:
    """Return `S + beta A1 M A2^T`: a match of i and j gains as much as neighbours of i are matched
    with neighbours of j.

    Dense products are fastest for small graphs, be they ever so sparse: they take no more time
    than turning M between sums of rows. Large ones have few edges for their size, so that the sums
    run along edges.
    """
    if max(M.shape[1:]) < LARGE:
        return torch.baddbmm(S, A1.bmm(M), A2.transpose(1, 2), alpha=beta)
    pairs = zip(A1, M, A2, strict=True)
    said = torch.stack([_along_edges(a2, _along_edges(a1, m).T).T for a1, m, a2 in pairs])
    return torch.add(S, said, alpha=beta)


def _along_edges(A: Tensor, H: Tensor) -> Tensor:
    """Return `A @ H` at a cost that grows with the entries of A."""
    return A.to_sparse() @ H


def best_matches(S: Tensor, block: PairBlock) -> Tensor:
    """Return the one-to-one matches with the largest sums of scores, as zeros and ones
    `[b, N1, N2]`.
    """
    scores = S.detach().cpu().double().numpy()
    M = np.zeros(scores.shape, dtype=np.float32)
    sizes = zip(block.mask1.sum(1).tolist(), block.mask2.sum(1).tolist(), strict=True)
    for place, (n1, n2) in enumerate(sizes):
        M[place][linear_sum_assignment(scores[place, :n1, :n2], maximize=True)] = 1.0
    return torch.from_numpy(M).to(S)
