"""The two-way variance, against the analysis of variance and against explicit matrices."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.app.evidence.two_way_variance import _expectations, two_way_variance


def test_without_empty_cells_it_is_the_analysis_of_variance() -> None:
    R, C = 6, 40
    random = np.random.default_rng(0)
    y = random.standard_normal((R, C)) + random.standard_normal((R, 1)) + random.standard_normal(C)
    rows, columns = y.mean(1, keepdims=True), y.mean(0, keepdims=True)
    ms_rows = C * ((rows - y.mean()) ** 2).sum() / (R - 1)
    ms_columns = R * ((columns - y.mean()) ** 2).sum() / (C - 1)
    ms_cells = ((y - rows - columns + y.mean()) ** 2).sum() / ((R - 1) * (C - 1))
    found = two_way_variance(y, np.ones((R, C)))
    assert found.variance == pytest.approx((ms_rows + ms_columns - ms_cells) / (R * C))
    assert found.rows == pytest.approx((ms_rows - ms_cells) / C)
    assert found.columns == pytest.approx((ms_columns - ms_cells) / R)
    assert found.cells == pytest.approx(ms_cells)
    terms = ms_rows**2 / (R - 1) + ms_columns**2 / (C - 1) + ms_cells**2 / ((R - 1) * (C - 1))
    satterthwaite = (ms_rows + ms_columns - ms_cells) ** 2 / terms
    assert found.df == pytest.approx(satterthwaite)


def test_expectations_are_those_of_explicit_matrices() -> None:
    """E[y' P y] = tr(P Sigma), with matrices over all cells, counted twice where tested twice."""
    random = np.random.default_rng(1)
    counts = random.integers(0, 3, (4, 7)).astype(float)
    row, column = (index.ravel() for index in np.indices(counts.shape))
    n, N = counts.ravel(), counts.sum()
    cell = np.arange(n.size)
    alike = [np.equal.outer(group, group).astype(float) for group in (row, column, cell)]
    centred = np.diag(n) - np.outer(n, n) / N
    slow = np.array([[np.trace(centred.T @ a @ centred @ b) for b in alike] for a in alike])
    sizes = np.array([(counts.sum(1) ** 2).sum(), (counts.sum(0) ** 2).sum(), (counts**2).sum()])
    assert _expectations(counts, sizes) == pytest.approx(slow)


@pytest.mark.slow
def test_with_empty_cells_it_is_unbiased() -> None:
    random = np.random.default_rng(2)
    counts = np.concatenate([np.eye(5).repeat(12, 1)[:, random.permutation(60)] for _ in range(4)])
    found, means = [], []
    for _ in range(3000):
        y = 0.3 * random.standard_normal((20, 1)) + random.standard_normal(60)
        y = (y + 2 * random.standard_normal((20, 60))) * counts
        found.append(two_way_variance(y, counts))
        means.append(y.sum() / counts.sum())
    expected = 0.3**2 / 20 + 1 / 60 + 4 / 240
    assert np.var(means) == pytest.approx(expected, rel=0.1)
    assert np.mean([each.variance for each in found]) == pytest.approx(expected, rel=0.03)
    components = np.mean([(each.rows, each.columns, each.cells) for each in found], axis=0)
    assert components == pytest.approx([0.09, 1.0, 4.0], rel=0.15)


def test_graphs_tested_once_leave_the_splits_alone() -> None:
    """One repeat of five folds is a t-test of five means."""
    random = np.random.default_rng(3)
    counts = np.eye(5).repeat(10, 1)
    y = random.standard_normal((5, 50)) * counts
    found = two_way_variance(y, counts)
    assert found.variance == pytest.approx((y.sum(1) / 10).var(ddof=1) / 5)
    assert found.df == 4
