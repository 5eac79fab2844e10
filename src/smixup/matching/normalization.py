"""From similarities of nodes to an assignment: the softmax of Eq. (8), and what may stand in its
place.

Every way is a class, chosen by an object or by its text: `GraphMatcher(normalization="sinkhorn")`,
`GraphMatcher(normalization=OneToOne(rounds=5))`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.matching.assignment import NEVER
from smixup.matching.pairs import PairBlock
from smixup.matching.tables import log_softmax_columns, log_softmax_rows, with_data
from smixup.ranges import Choice, Steps

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from smixup.matching.candidates import Candidates

NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class Normalization(Choice, ABC):
    """A way from scores to M."""

    sparse: ClassVar[bool] = False
    """Whether M has so few entries that they are kept one by one."""

    @abstractmethod
    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        """Return the assignments `[b, N1, N2]` of a block of pairs, zero outside a pair.

        Args:
            scores: how similar nodes are, `[b, N1, N2]`; of any size outside a pair.
            block: the pairs.
        """

    def on_candidates(self, found: Candidates) -> csr_matrix:
        """Return the assignments of large pairs, given the scores of some cells alone; all others
        are zero.
        """
        raise SmixupError(
            f"{type(self).__name__} has no form for pairs as large as these, of which only the "
            "nearest nodes are compared: write its on_candidates, or leave the largest graphs out."
        )


@dataclass(frozen=True)
class Columns(Normalization):
    """Spread every node of G2 over the nodes of G1: columns sum to one (Eq. 8, the paper's
    choice).
    """

    name: ClassVar[str] = "columns"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        return softmax(scores, block.mask, 1)

    def on_candidates(self, found: Candidates) -> csr_matrix:
        return _exp(log_softmax_columns(found.scores))


@dataclass(frozen=True)
class Rows(Normalization):
    """Make every node of G1 an average of nodes of G2: rows sum to one.

    Note:
        Keeps the scale of features and `A'` within [0, 1], but not the mass of G2: a node that
        nobody asks for is lost, and G2' is G1 rebuilt from parts of G2.
    """

    name: ClassVar[str] = "rows"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        return softmax(scores, block.mask, 2)

    def on_candidates(self, found: Candidates) -> csr_matrix:
        return _exp(log_softmax_rows(found.scores))


@dataclass(frozen=True)
class Sinkhorn(Normalization):
    """Normalise rows and columns in turn, ending with columns: doubly stochastic in the limit where
    n1 = n2.

    With n1 != n2 the limit has columns that sum to one and rows that sum to n2 / n1: `n2 T` with T
    the transport of equal weights 1/n2 to equal weights 1/n1.

    Attributes:
        rounds: how often both are normalised; the paper does not say it. Ten are enough for soft
            scores, a balanced transport wants fifty or more.
    """

    rounds: Steps = 10

    name: ClassVar[str] = "sinkhorn"

    def __call__(self, scores: Tensor, block: PairBlock) -> Tensor:
        mask = block.mask
        log = scores.masked_fill(~mask, NEVER)
        for _ in range(self.rounds):
            for dim in (2, 1):
                # An empty row has no sum to divide by: it would become one of equal entries.
                log = (log - log.logsumexp(dim, keepdim=True)).masked_fill_(~mask, NEVER)
        return cleared(log.exp(), mask)

    def on_candidates(self, found: Candidates) -> csr_matrix:
        log = found.scores
        for _ in range(self.rounds):
            log = log_softmax_columns(log_softmax_rows(log))
        return _exp(log)


def _exp(log: csr_matrix) -> csr_matrix:
    return with_data(log, np.exp(log.data))


def softmax(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    """Return the softmax of `[b, N1, N2]` along a side, over the cells that exist."""
    return cleared(torch.softmax(scores.masked_fill(~mask, NEVER), dim), mask)


def cleared(M: Tensor, mask: Tensor) -> Tensor:
    """Zero what lies outside a pair, and what is so small that its products would be denormal
    numbers, hence slow.
    """
    return torch.where(mask & (M > NEGLIGIBLE), M, 0.0)


def log_scores(X: Tensor) -> Tensor:
    """Return the scores of which a solver's result `X >= 0` is the exponential, so that it can be
    normalised in any way.

    The softmax of them divides columns by their sums; a node of G2 that the solver left without
    match is spread evenly.
    """
    return X.clamp(min=torch.finfo(X.dtype).tiny).log()
