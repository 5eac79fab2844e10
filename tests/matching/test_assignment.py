"""Sharpness and sparsity by hand."""

from __future__ import annotations

import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching.assignment import mean_perplexity, perplexity, top_k
from smixup.matching.normalization import Columns
from smixup.matching.pairs import Pairs


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


def test_every_pair_has_columns_of_its_own() -> None:
    M = torch.tensor([[[1.0, 3.0], [0.0, 3.0]], [[2.0, 5.0], [2.0, 0.0]]])
    expected = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
    torch.testing.assert_close(perplexity(M), expected)


def test_top_k_keeps_the_largest_and_the_sum_of_each_column(graphs: Graphs) -> None:
    pairs = Pairs.of(graphs[[0, 4, 1]], graphs[[5, 2, 3]])
    random = torch.Generator().manual_seed(0)
    blocks = [Columns()(3 * torch.randn(b.mask.shape, generator=random), b) for b in pairs.blocks()]
    M = pairs.operator(blocks)
    dense, found = M.to_dense(), top_k(M, 2).to_dense()
    for column, kept in zip(dense.T, found.T, strict=True):
        order = column.argsort(descending=True)[:2]
        expected = torch.zeros_like(column)
        expected[order] = column[order] / column[order].sum()
        torch.testing.assert_close(kept, expected)
    torch.testing.assert_close(top_k(M, 100).to_dense(), dense)
