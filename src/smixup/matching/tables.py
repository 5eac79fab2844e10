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
