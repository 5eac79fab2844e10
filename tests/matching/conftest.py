"""Small graphs and small matchers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.graphs import GraphBatch, Padding, SparseOperator
from smixup.matching import GraphMatcher
from smixup.matching.pairs import Pairs


def tiny_matcher(**settings: object) -> GraphMatcher:
    small: dict[str, object] = {"num_layers": 2, "hidden_channels": 8, "batch_size": 8, "max_steps": 4}
    small |= {"evaluate_every": 2, "random_walk": 4}
    return GraphMatcher(**(small | settings))  # type: ignore[arg-type]


def permuted_batch(batch: GraphBatch, seed: int = 0) -> tuple[GraphBatch, torch.Tensor]:
    """The same graphs with their nodes renumbered, and the old number of every new node."""
    random = torch.Generator().manual_seed(seed)
    parts = [torch.randperm(int(n), generator=random) + first for n, first in zip(batch.sizes, batch.ptr, strict=False)]
    old = torch.cat(parts)
    dense = batch.adj.to_dense()[old][:, old]
    row, column = dense.nonzero(as_tuple=True)
    adj = SparseOperator.from_entries(row, column, dense[row, column], (old.numel(), old.numel()))
    return batch.replace(x=batch.x[old], adj=adj), old


def pair_mask(left: GraphBatch, right: GraphBatch) -> torch.Tensor:
    """Which cells of `[n1, n2]` belong to a pair."""
    return left.batch.unsqueeze(1) == right.batch.unsqueeze(0)


def grouped_pairs(left: GraphBatch, right: GraphBatch, grouping: str) -> Pairs:
    """Pairs in buckets of our own choice."""
    every = torch.arange(len(left))
    groups = {"one bucket": (every,), "many buckets": (every[3:4], every[0::2], every[1::4])}[grouping]
    return Pairs(left, right, groups, Padding.of(left.ptr, groups), Padding.of(right.ptr, groups))


@pytest.fixture
def grouped() -> Callable[[GraphBatch, GraphBatch, str], Pairs]:
    return grouped_pairs


@pytest.fixture
def tiny() -> Callable[..., GraphMatcher]:
    return tiny_matcher


@pytest.fixture
def permuted() -> Callable[..., tuple[GraphBatch, torch.Tensor]]:
    return permuted_batch


@pytest.fixture
def within_pairs() -> Callable[[GraphBatch, GraphBatch], torch.Tensor]:
    return pair_mask
