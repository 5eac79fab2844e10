"""Solvers that take one pair at a time: what they share with matchers that take many."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import torch
from torch import Tensor

from smixup.graphs import Graphs, Operator
from smixup.matching.normalization import log_scores
from smixup.matching.normalized import NormalizedMatcher
from smixup.matching.pairs import PairBlock, Pairs
from smixup.precision import single_precision


class PairwiseMatcher(NormalizedMatcher):
    """A matcher that solves pair after pair, on the CPU; by default the columns of what it finds
    are divided by their sums.

    A node of G2 that a solver leaves without match is spread evenly over G1.
    """

    @abstractmethod
    def solve(self, pair: PairBlock) -> Tensor:
        """Return how strongly the nodes of one pair belong together, `[n1, n2]`, zero or more.

        The pair has no padding.
        """

    @torch.no_grad()
    @single_precision()
    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        pairs = Pairs.of(left, right)
        return self.normalized(pairs, (log_scores(self._solve(b)) for b in pairs.blocks()))

    def _solve(self, block: PairBlock) -> Tensor:
        X = block.x1.new_zeros(block.mask.shape)
        for found, pair in zip(X, singles(block), strict=True):
            _, n1, n2 = pair.mask.shape
            if n1 and n2:
                found[:n1, :n2] = self.solve(pair)
        return X


def singles(block: PairBlock) -> Iterator[PairBlock]:
    """Go through the pairs of a block one by one, without padding, on the CPU."""
    sizes = zip(block.mask1.sum(1).tolist(), block.mask2.sum(1).tolist(), strict=True)
    for place, (n1, n2) in enumerate(sizes):
        one = slice(place, place + 1)
        first = block.x1[one, :n1], block.A1[one, :n1, :n1], block.mask1[one, :n1]
        second = block.x2[one, :n2], block.A2[one, :n2, :n2], block.mask2[one, :n2]
        yield PairBlock(*(part.cpu() for part in (*first, *second, block.pairs[one])))
