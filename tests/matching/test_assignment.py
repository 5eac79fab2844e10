"""Assignments by hand, and Sinkhorn against pygmtools."""

from __future__ import annotations

import math

import pygmtools
import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching.assignment import (
    NORMALIZATIONS,
    column_shares,
    column_softmax,
    mean_perplexity,
    perplexity,
    row_softmax,
    sinkhorn,
    top_k,
)
from smixup.matching.pairs import Pairs

SIZES = [(3, 3), (2, 5), (4, 4), (1, 3), (3, 5)]


def padded_scores(sizes: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(1)
    n1, n2 = (max(size[side] for size in sizes) for side in (0, 1))
    mask = torch.zeros(len(sizes), n1, n2, dtype=torch.bool)
    for b, (rows, columns) in enumerate(sizes):
        mask[b, :rows, :columns] = True
    return torch.randn(len(sizes), n1, n2, generator=random), mask


def test_softmax_by_hand() -> None:
    scores = torch.tensor([[[0.0, math.log(3)], [0.0, 0.0], [9.0, 9.0]]])
    mask = torch.tensor([[[True, True], [True, True], [False, False]]])
    columns = torch.tensor([[[0.5, 0.75], [0.5, 0.25], [0.0, 0.0]]])
    rows = torch.tensor([[[0.25, 0.75], [0.5, 0.5], [0.0, 0.0]]])
    torch.testing.assert_close(column_softmax(scores, mask), columns)
    torch.testing.assert_close(row_softmax(scores, mask), rows)


def test_shares_by_hand() -> None:
    X = torch.tensor([[[3.0, 0.0, 7.0], [1.0, 0.0, 7.0], [9.0, 9.0, 7.0]]])
    mask = torch.tensor([[[True, True, False], [True, True, False], [False, False, False]]])
    expected = torch.tensor([[[0.75, 0.5, 0.0], [0.25, 0.5, 0.0], [0.0, 0.0, 0.0]]])
    torch.testing.assert_close(column_shares(X, mask), expected)


@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_padding_changes_nothing_and_stays_empty(name: str) -> None:
    scores, mask = padded_scores(SIZES)
    M = NORMALIZATIONS[name](scores, mask)
    assert not M[~mask].any()
    for b, (n1, n2) in enumerate(SIZES):
        alone = NORMALIZATIONS[name](scores[b : b + 1, :n1, :n2], mask[b : b + 1, :n1, :n2])
        torch.testing.assert_close(M[b : b + 1, :n1, :n2], alone)


def test_sinkhorn_agrees_with_pygmtools_on_padded_batches() -> None:
    sizes = [(n1, n2) for n1, n2 in SIZES if n1 <= n2]
    scores, mask = padded_scores(sizes)
    n1, n2 = (torch.tensor(side) for side in zip(*sizes, strict=True))
    theirs = pygmtools.sinkhorn(scores, n1, n2, max_iter=20, backend="pytorch")
    torch.testing.assert_close(sinkhorn(scores, mask, rounds=10), theirs)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_sinkhorn_against_a_plain_loop(shape: tuple[int, int]) -> None:
    n1, n2 = shape
    scores = torch.randn(1, n1, n2, generator=torch.Generator().manual_seed(3))
    plain = [[math.exp(float(value)) for value in row] for row in scores[0]]
    for _ in range(60):
        plain = [[value / sum(row) for value in row] for row in plain]
        sums = [sum(row[j] for row in plain) for j in range(n2)]
        plain = [[value / sums[j] for j, value in enumerate(row)] for row in plain]
    M = sinkhorn(scores, torch.ones(1, n1, n2, dtype=torch.bool), rounds=60)
    torch.testing.assert_close(M[0], torch.tensor(plain))
    torch.testing.assert_close(M.sum(1), torch.ones(1, n2))
    torch.testing.assert_close(M.sum(2), torch.full((1, n1), n2 / n1))


def test_perplexity_by_hand() -> None:
    M = torch.tensor(
        [
            [
                [1.0, 0.5, 0.25, 0.0],
                [0.0, 0.5, 0.25, 0.0],
                [0.0, 0.0, 0.25, 0.0],
                [0.0, 0.0, 0.25, 0.0],
            ]
        ]
    )
    torch.testing.assert_close(perplexity(M), torch.tensor([[1.0, 2.0, 4.0, 1.0]]))
    torch.testing.assert_close(perplexity(7 * M), perplexity(M))
    exists = torch.tensor([[True, True, True, False]])
    assert mean_perplexity([M, M[:, :, 2:3]], [exists, exists[:, :1]]) == pytest.approx(
        (1 + 2 + 4 + 4) / 4
    )


def test_top_k_keeps_the_largest_and_the_sum_of_each_column(graphs: Graphs) -> None:
    pairs = Pairs.of(graphs[[0, 4, 1]], graphs[[5, 2, 3]])
    random = torch.Generator().manual_seed(0)
    blocks = [
        column_softmax(3 * torch.randn(b.mask.shape, generator=random), b.mask)
        for b in pairs.blocks()
    ]
    M = pairs.operator(blocks)
    dense, found = M.to_dense(), top_k(M, 2).to_dense()
    for column, kept in zip(dense.T, found.T, strict=True):
        order = column.argsort(descending=True)[:2]
        expected = torch.zeros_like(column)
        expected[order] = column[order] / column[order].sum()
        torch.testing.assert_close(kept, expected)
    torch.testing.assert_close(top_k(M, 100).to_dense(), dense)
