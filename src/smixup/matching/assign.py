"""From similarities of nodes to an assignment: the softmax of Eq. (8), and what may stand in its
place, chosen by an object or by its text: `GraphMatcher(normalization="sinkhorn")`,
`GraphMatcher(normalization=OneToOne(rounds=5))`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator, to_blocks
from smixup.graphs.codes import Layout, layout_of
from smixup.matching import large
from smixup.matching.base import Matcher
from smixup.matching.pairs import NEGLIGIBLE, NEVER, PairBlock, Pairs, tie_breaks
from smixup.precision import single_precision
from smixup.settings import Choice, Choices, Count, Natural, NotNegative, Range

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from smixup.matching.large import Candidates

LARGE = 256
"""Nodes from which on neighbours are summed along the edges instead of by a dense product."""
NOTHING = -60.0
"""Logarithm of what is as good as zero; exponentials of less, and products with them, are slow."""


@dataclass(frozen=True)
class Normalization(Choice, ABC):
    """A way from scores to M."""

    @abstractmethod
    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        """Return the assignments `[b, N1, N2]` of a block of pairs, zero outside a pair, given
        scores `[b, N1, N2]` that may be anything there.
        """

    @abstractmethod
    def on_candidates(self, near: Candidates) -> csr_matrix:
        """Return the assignment of a large pair, given the scores of some cells alone."""


@dataclass(frozen=True)
class Columns(Normalization):
    """Spread every node of G2 over the nodes of G1: columns sum to one (Eq. 8, the paper's
    choice).
    """

    name: ClassVar[str] = "columns"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        return _cleared(scores.masked_fill(~block.mask, NEVER).softmax(1), block.mask)

    def on_candidates(self, near: Candidates) -> csr_matrix:
        return large.exp(large.log_softmax(near.scores, 0))


@dataclass(frozen=True)
class Sinkhorn(Normalization):
    """Normalise rows and columns in turn, ending with columns: in the limit columns sum to one,
    rows to n2 / n1.

    Attributes:
        rounds: how often both are normalised; the paper does not say it. Ten are enough for soft
            scores, a balanced transport wants fifty or more.
    """

    rounds: Count = 10

    name: ClassVar[str] = "sinkhorn"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        mask = block.mask
        log = scores.masked_fill(~mask, NEVER)
        for _ in range(self.rounds):
            for dim in (2, 1):
                # An empty row has no sum to divide by: it would become one of equal entries.
                log = (log - log.logsumexp(dim, keepdim=True)).masked_fill_(~mask, NEVER)
        return _cleared(log.exp(), mask)

    def on_candidates(self, near: Candidates) -> csr_matrix:
        log = near.scores
        for _ in range(self.rounds):
            log = large.log_softmax(large.log_softmax(log, 1), 0)
        return large.exp(log)


def _cleared(M: Tensor, mask: Tensor) -> Tensor:
    """Zero what lies outside a pair, and what is negligible."""
    return torch.where(mask & (M > NEGLIGIBLE), M, 0.0)


@dataclass(frozen=True)
class OneToOne(Normalization):
    """A one-to-one alignment in which neighbours agree. As many nodes are matched as the smaller
    graph has.

    Nodes that 1-WL cannot tell apart have equal scores, so a softmax spreads a node over all of
    them, and `M A2 M^T` blurs just the edges between them. Ties must be broken, and neighbours must
    break them in the same way (Gold and Rangarajan 1996, Fey et al. 2020): a match of i and j gains
    from every match of a neighbour of i with a neighbour of j.

        S_0 = (log softmax_rows(scores) + log softmax_columns(scores)) / 2 + noise
        M   = partial Sinkhorn of S_0
        S_t = S_0 + beta_t A1 M A2,   M = partial Sinkhorn of S_t,   beta_t = growth^t

    In the partial Sinkhorn what finds no counterpart goes to a bin. The last scores are rounded by
    the Hungarian method.

    Attributes:
        rounds: how often neighbours are asked. On MOTIF, 84 % of the edges of a motif arrive
            without asking, 97 % after five rounds, 99 % after ten, 97 % after fifteen.
        noise: deviation of what is added to the scores to break ties, small beside differences that
            mean something. At 0.5, 5 % of the nodes of a shuffled copy are no longer found; without
            any, 5 % of the edges are lost.
        bin: the score at which a node stays without counterpart.
    """

    rounds: Natural = 10
    noise: NotNegative = 0.05
    bin: Annotated[float, Range(-50, 50)] = -4.0

    name: ClassVar[str] = "one-to-one"
    steps: ClassVar[int] = 8
    """Steps of the partial Sinkhorn in every round."""
    growth: ClassVar[float] = 1.2
    """Factor of the weight of neighbours from round to round; it makes decisions gradually."""

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        return best_matches(self.agreed(scores, block), block)

    def on_candidates(self, near: Candidates) -> csr_matrix:
        return large.one_to_one(near, self)

    def agreed(self, scores: Tensor, block: PairBlock) -> Tensor:
        """Return the scores `[b, N1, N2]` after all rounds, of size `NEVER` outside a pair."""
        mask = block.mask
        scores = scores.masked_fill(~mask, NEVER)
        S0 = (scores.log_softmax(1) + scores.log_softmax(2)) / 2
        if self.noise:
            S0 = S0 + self.noise * tie_breaks(*S0.shape[1:]).to(S0.device)
        S = S0 = S0.masked_fill(~mask, NEVER)
        for t in range(self.rounds):
            M = partial_sinkhorn(S, self.bin, self.steps)
            S = with_neighbours(S0, block.A1, M, block.A2, self.growth**t)
        return S


NORMALIZATIONS: Choices[Normalization] = Choices("normalization", Columns, Sinkhorn, OneToOne)


def partial_sinkhorn(S: Tensor, bin: float, steps: int) -> Tensor:
    """Return `u exp(S) v` whose rows and columns sum to one with what goes to the bins, given
    scores `[b, N1, N2]` and that of a node's own bin.
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
    """Return `S + beta A1 M A2^T`; sums run along the edges of large graphs, which have few for
    their size.
    """
    if max(M.shape[1:]) < LARGE:
        return torch.baddbmm(S, A1.bmm(M), A2.transpose(1, 2), alpha=beta)
    pairs = zip(A1.unbind(), M, A2.unbind(), strict=True)
    gains = [(a2.to_sparse() @ (a1.to_sparse() @ m).T).T for a1, m, a2 in pairs]
    return torch.add(S, torch.stack(gains), alpha=beta)


def best_matches(S: Tensor, block: PairBlock) -> Tensor:
    """Return the one-to-one matches with the largest sums of scores, as ones `[b, N1, N2]`."""
    scores = S.detach().cpu().double().numpy()
    M = np.zeros(scores.shape, dtype=np.float32)
    sizes = zip(block.mask1.sum(1).tolist(), block.mask2.sum(1).tolist(), strict=True)
    for place, (n1, n2) in enumerate(sizes):
        M[place][linear_sum_assignment(scores[place, :n1, :n2], maximize=True)] = 1.0
    return torch.from_numpy(M).to(S)


def one_to_one(M: SparseOperator, left: Graphs, right: Graphs) -> SparseOperator:
    """Return the one-to-one matches that share most of M, as entries of one: those of M itself, or
    of the Hungarian method; a node that would get a match of which M knows nothing stays without.
    """
    if M.is_one_to_one:
        return replace(M, weight=torch.ones_like(M.weight))
    pairs = Pairs.of(left, right)
    blocks = zip(to_blocks(M, pairs.rows, pairs.columns), pairs.blocks(), strict=True)
    return pairs.assigned([best_matches(S, block) * (S > 0) for S, block in blocks])


@dataclass
class NormalizedMatcher(Matcher):
    """A matcher that scores pairs of nodes, and normalises the scores.

    Attributes:
        normalization: the way from scores to M: `one-to-one`, `columns` (paper) or `sinkhorn`, or
            an object such as `OneToOne(noise=0.2)`.
        encode: how to read `x` of PyG graphs that are codes of categories: `one-hot`, `ogb`,
            `from-smiles`, or an object such as `Codes(nodes=(28,))`; see `graphs/codes.py`.
    """

    normalization: str | Normalization = field(default="columns", kw_only=True)
    encode: str | Layout | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.normalization = self.normalize
        self.encode = layout_of(self.encode)
        self.codes = None if self.encode is None else self.encode.known

    @property
    def normalize(self) -> Normalization:
        """The way from scores to M."""
        return NORMALIZATIONS.of(self.normalization)

    @torch.no_grad()
    def assigned(self, pairs: Pairs) -> SparseOperator:
        """Return M of all pairs, made bucket by bucket from their scores."""
        blocks = (
            self.normalize(scores, block)
            for part in pairs.parts()
            for scores, block in zip(self.scores(part), part.blocks(), strict=True)
        )
        return pairs.assigned(blocks)

    @abstractmethod
    def scores(self, pairs: Pairs) -> Iterable[Tensor]:
        """Return how similar the nodes of pairs are, `[b, N1, N2]`, one tensor per bucket."""


class SolverMatcher(NormalizedMatcher):
    """A matcher that learns nothing: a solver tells how strongly nodes belong together, and by
    default the columns of that are divided by their sums. A node of G2 without match is spread
    evenly over G1.
    """

    @abstractmethod
    def solve(self, block: PairBlock) -> Tensor:
        """Return how strongly nodes belong together, `[b, N1, N2]`, zero or more."""

    def scores(self, pairs: Pairs) -> Iterable[Tensor]:
        # A softmax of the logarithms of X >= 0 divides columns by their sums.
        solved = (self.solve(block) for block in pairs.blocks())
        return (X.clamp(min=torch.finfo(X.dtype).tiny).log() for X in solved)

    @single_precision()
    def __call__(self, left: Graphs, right: Graphs) -> SparseOperator:
        return self.assigned(Pairs.of(left, right))
