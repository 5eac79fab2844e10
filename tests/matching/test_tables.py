"""Tables with few entries against full ones."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from smixup.matching.tables import (
    larger_than,
    largest,
    largest_of_rows,
    log_softmax_columns,
    log_softmax_rows,
    rows_of,
    with_data,
)

NOTHING = -np.inf


def table(rows: int, columns: int, share: float, seed: int = 0) -> csr_matrix:
    random = np.random.default_rng(seed)
    row, column = (random.random((rows, columns)) < share).nonzero()
    data = random.normal(size=len(row)) * 4
    return csr_matrix((data, (row, column)), shape=(rows, columns))


def full(S: csr_matrix) -> np.ndarray:
    """The table as an array; what is no entry is minus infinity, whatever an entry is."""
    dense = np.full(S.shape, NOTHING)
    dense[rows_of(S), S.indices] = S.data
    return dense


TABLES = {
    "full": table(7, 5, 1.1),
    "half": table(9, 12, 0.5, 1),
    "few": table(30, 20, 0.04, 2),  # most rows and columns are empty
    "wide": table(1, 40, 0.5, 3),
    "nothing": table(4, 3, 0.0),
}


@pytest.fixture(params=TABLES)
def S(request: pytest.FixtureRequest) -> csr_matrix:
    return TABLES[request.param]


def test_rows_and_largest(S: csr_matrix) -> None:
    assert np.array_equal(rows_of(S), S.tocoo().row)
    assert np.array_equal(largest(S), full(S).max(1))
    assert np.array_equal(largest(S, 0.5), np.maximum(full(S).max(1), 0.5))


def test_softmax_over_the_entries_that_there_are(S: csr_matrix) -> None:
    dense = torch.from_numpy(full(S))
    for sparse, dim in ((log_softmax_rows(S), 1), (log_softmax_columns(S), 0)):
        expected = torch.where(dense.isfinite(), dense.log_softmax(dim), NOTHING)
        np.testing.assert_allclose(full(sparse), expected.numpy(), atol=1e-12)
        assert np.array_equal(sparse.indices, S.indices), "in the same order"


def test_softmax_of_large_numbers() -> None:
    S = csr_matrix(np.array([[1e4, 1e4 - 1.0], [-1e4, -2e4]]))
    expected = np.log(1 / (1 + np.exp(-1.0)))
    np.testing.assert_allclose(log_softmax_rows(S).data, [expected, expected - 1, 0, -1e4])


@pytest.mark.parametrize("number", [1, 2, 3, 100])
def test_the_largest_of_every_row_against_a_sort(S: csr_matrix, number: int) -> None:
    kept = full(largest_of_rows(S, number))
    dense = full(S)
    for row, values in enumerate(dense):
        best = sorted(values[np.isfinite(values)], reverse=True)[:number]
        assert sorted(kept[row][np.isfinite(kept[row])], reverse=True) == best
    assert (np.isneginf(kept) | (kept == dense)).all(), "at their places"


def test_the_largest_of_equal_entries_are_so_many_all_the_same() -> None:
    S = csr_matrix(np.ones((3, 6)))
    assert np.diff(largest_of_rows(S, 2).indptr).tolist() == [2, 2, 2]
    assert largest_of_rows(with_data(S, np.zeros(18)), 4).nnz == 12


@pytest.mark.parametrize("threshold", [-100.0, 0.0, 2.0, 100.0])
def test_entries_above_a_threshold(S: csr_matrix, threshold: float) -> None:
    dense = full(S)
    expected = np.where(dense > threshold, dense, NOTHING)
    assert np.array_equal(full(larger_than(S, threshold)), expected)
