"""Pairs of graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching.pairs import PairBlock, Pairs


def pair_mask(left: Graphs, right: Graphs) -> torch.Tensor:
    """Which cells of `[n1, n2]` belong to a pair."""
    return left.batch.unsqueeze(1) == right.batch.unsqueeze(0)


def grouped_pairs(left: Graphs, right: Graphs, grouping: str) -> Pairs:
    """Pairs in buckets of our own choice."""
    every = torch.arange(len(left))
    groups = {"one bucket": (every,), "many buckets": (every[3:4], every[0::2], every[1::4])}[
        grouping
    ]
    return Pairs.grouped(left, right, groups)


@pytest.fixture
def grouped() -> Callable[[Graphs, Graphs, str], Pairs]:
    return grouped_pairs


@pytest.fixture
def within_pairs() -> Callable[[Graphs, Graphs], torch.Tensor]:
    return pair_mask


def bare_block(mask: torch.Tensor) -> PairBlock:
    """Pairs without edges and features, of which only the cells `[b, N1, N2]` are known."""
    b, N1, N2 = mask.shape
    x1, x2 = torch.zeros(b, N1, 0), torch.zeros(b, N2, 0)
    A1, A2 = torch.zeros(b, N1, N1), torch.zeros(b, N2, N2)
    return PairBlock(x1, A1, mask.any(2), x2, A2, mask.any(1), torch.arange(b))


@pytest.fixture
def bare() -> Callable[[torch.Tensor], PairBlock]:
    return bare_block
