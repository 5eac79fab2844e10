"""Pairs of graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs


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
