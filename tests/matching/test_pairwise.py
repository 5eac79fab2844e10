"""Pairs one by one are the pairs of the block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching.affinity import node_affinity
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.pairwise import PairwiseMatcher, singles


@dataclass
class Nearest(PairwiseMatcher):
    """Affinities as they are, except that the last node of G2 has no match."""

    def solve(self, pair: PairBlock) -> Tensor:
        X = node_affinity(pair)[0]
        X[:, -1] = 0
        return X


def test_singles_are_the_pairs_without_padding(
    graphs: Graphs, grouped: Callable[[Graphs, Graphs, str], Pairs]
) -> None:
    left, right = graphs[[0, 4, 1]], graphs[[5, 2, 4]]
    (block,) = grouped(left, right, "one bucket").blocks()
    for place, pair in enumerate(singles(block)):
        one, two = left[torch.tensor([place])], right[torch.tensor([place])]
        assert torch.equal(pair.x1[0], one.x)
        assert torch.equal(pair.x2[0], two.x)
        assert torch.equal(pair.A1[0], one.adj.to_dense())
        assert torch.equal(pair.A2[0], two.adj.to_dense())
        assert pair.mask.all()


def test_columns_are_shares_and_no_match_is_an_even_spread(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 1]], graphs[[5, 2, 4]]
    M = Nearest()(left, right).to_dense()
    for place in range(3):
        one, two = left[torch.tensor([place])], right[torch.tensor([place])]
        (pair,) = Pairs.of(one, two).blocks()
        expected = node_affinity(pair)[0]
        expected[:, -1] = 1
        rows, columns = (
            slice(int(ptr[place]), int(ptr[place + 1])) for ptr in (left.ptr, right.ptr)
        )
        torch.testing.assert_close(M[rows, columns], expected / expected.sum(0))
