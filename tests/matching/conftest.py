"""Pairs of graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching.pairs import PairBlock, Pairs

SIX_PAIRS = [9, 1, 6, 12, 1, 8], [7, 5, 1, 12, 1, 10]  # every third graph has no edges


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


def exact(batch: Graphs) -> Graphs:
    adj = batch.adj.to_sparse()
    return batch.replace(x=batch.x.double(), adj=replace(adj, weight=adj.weight.double()))


def directed(batch: Graphs) -> Graphs:
    """The edges of which one direction is gone, of two out of three."""
    adj = batch.adj.to_sparse()
    kept = (adj.row < adj.column) | ((adj.row + adj.column) % 3 == 0)
    part = replace(adj.mask_entries(kept), symmetric=False)
    return batch.replace(adj=part)


@pytest.fixture(params=["undirected", "directed"])
def six_pairs(
    request: pytest.FixtureRequest, make_graphs: Callable[..., Graphs]
) -> tuple[Graphs, Graphs, tuple[torch.Tensor, torch.Tensor]]:
    """Pairs of many sizes, and their nodes' representations, all in double precision."""
    left, right = (exact(make_graphs(sizes, seed=len(sizes))) for sizes in SIX_PAIRS)
    if request.param == "directed":
        left, right = directed(left), directed(right)
    return left, right, (left.x, right.x)
