"""Tables of a pair with few entries, as SciPy keeps them: sums and softmax over what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]


def with_data(S: csr_matrix, data: Array) -> csr_matrix:
    """Return a table with entries at the same places, and other values."""
    return csr_matrix((data, S.indices, S.indptr), shape=S.shape)


def rows_of(S: csr_matrix) -> Array:
    """Return the row of every entry `[m]`."""
    return np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))


def largest(S: csr_matrix, lowest: float = -np.inf) -> Array:
    """Return the largest entry of every row, at least `lowest`, `[n1]`."""
    found = np.full(S.shape[0], lowest)
    filled = np.diff(S.indptr) > 0
    if S.nnz:
        found[filled] = np.maximum.reduceat(S.data, S.indptr[:-1][filled])
    return np.maximum(found, lowest)


def log_softmax_rows(S: csr_matrix) -> csr_matrix:
    """Return the logarithm of each entry's share of its row, over the entries that there are."""
    rows = rows_of(S)
    shifted = S.data - largest(S)[rows]
    sums = np.bincount(rows, np.exp(shifted), S.shape[0])
    return with_data(S, shifted - np.log(sums[rows]))


def log_softmax_columns(S: csr_matrix) -> csr_matrix:
    """Return the logarithm of each entry's share of its column."""
    turned = S.T.tocsr()
    return log_softmax_rows(turned).T.tocsr()


def largest_of_rows(S: csr_matrix, number: int) -> csr_matrix:
    """Keep so many of the largest entries of every row."""
    if S.nnz == 0 or np.diff(S.indptr).max() <= number:
        return S
    rows = rows_of(S)
    low, high = S.data.min(), S.data.max()
    falling = (high - S.data) / max(high - low, np.finfo(float).tiny)  # from 0 to 1
    order = np.argsort(rows * 2.0 + falling, kind="stable")
    kept = np.sort(order[np.arange(S.nnz) - S.indptr[rows] < number])
    row_ptr = np.searchsorted(kept, S.indptr)
    return csr_matrix((S.data[kept], S.indices[kept], row_ptr), shape=S.shape)


def larger_than(S: csr_matrix, threshold: float) -> csr_matrix:
    """Keep the entries above a threshold."""
    kept = (S.data > threshold).nonzero()[0]
    return csr_matrix(
        (S.data[kept], S.indices[kept], np.searchsorted(kept, S.indptr)), shape=S.shape
    )
