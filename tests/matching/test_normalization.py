"""Ways from scores to M by hand, and Sinkhorn against pygmtools."""

from __future__ import annotations

import math

import pygmtools
import pytest
import torch
from padded_scores import SIZES, Bare, padded_scores

from smixup.matching.normalization import Columns, Rows, Sinkhorn, log_scores


def test_softmax_by_hand(bare: Bare) -> None:
    scores = torch.tensor([[[0.0, math.log(3)], [0.0, 0.0], [9.0, 9.0]]])
    mask = torch.tensor([[[True, True], [True, True], [False, False]]])
    columns = torch.tensor([[[0.5, 0.75], [0.5, 0.25], [0.0, 0.0]]])
    rows = torch.tensor([[[0.25, 0.75], [0.5, 0.5], [0.0, 0.0]]])
    torch.testing.assert_close(Columns()(scores, bare(mask)), columns)
    torch.testing.assert_close(Rows()(scores, bare(mask)), rows)


def test_what_a_solver_found_by_hand(bare: Bare) -> None:
    X = torch.tensor([[[3.0, 0.0, 7.0], [1.0, 0.0, 7.0], [9.0, 9.0, 7.0]]])
    mask = torch.tensor([[[True, True, False], [True, True, False], [False, False, False]]])
    expected = torch.tensor([[[0.75, 0.5, 0.0], [0.25, 0.5, 0.0], [0.0, 0.0, 0.0]]])
    torch.testing.assert_close(Columns()(log_scores(X), bare(mask)), expected)


def test_sinkhorn_agrees_with_pygmtools_on_padded_batches(bare: Bare) -> None:
    sizes = [(n1, n2) for n1, n2 in SIZES if n1 <= n2]
    scores, mask = padded_scores(sizes)
    n1, n2 = (torch.tensor(side) for side in zip(*sizes, strict=True))
    theirs = pygmtools.sinkhorn(scores, n1, n2, max_iter=20, backend="pytorch")
    torch.testing.assert_close(Sinkhorn(rounds=10)(scores, bare(mask)), theirs)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_sinkhorn_against_a_plain_loop(shape: tuple[int, int], bare: Bare) -> None:
    n1, n2 = shape
    scores = torch.randn(1, n1, n2, generator=torch.Generator().manual_seed(3))
    plain = [[math.exp(float(value)) for value in row] for row in scores[0]]
    for _ in range(60):
        plain = [[value / sum(row) for value in row] for row in plain]
        sums = [sum(row[j] for row in plain) for j in range(n2)]
        plain = [[value / sums[j] for j, value in enumerate(row)] for row in plain]
    M = Sinkhorn(rounds=60)(scores, bare(torch.ones(1, n1, n2, dtype=torch.bool)))
    torch.testing.assert_close(M[0], torch.tensor(plain))
    torch.testing.assert_close(M.sum(1), torch.ones(1, n2))
    torch.testing.assert_close(M.sum(2), torch.full((1, n1), n2 / n1))
