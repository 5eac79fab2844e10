"""Neighbourhood consensus of large pairs, on candidates alone; see `matching/consensus.py`.

The mathematics is that of `Consensus`, with every sum over the cells that are candidates: a node
has a few dozen, so that memory and time grow with the nodes and edges of the two graphs, not with
the product of their sizes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, vstack

from smixup.matching.candidates import Candidates
from smixup.matching.tables import (
    larger_than,
    largest,
    largest_of_rows,
    log_softmax_columns,
    log_softmax_rows,
    rows_of,
    with_data,
)
from smixup.matching.tie_breaks import tie_break

if TYPE_CHECKING:
    from smixup.matching.consensus import Consensus
    from smixup.matching.tables import Array

NEGLIGIBLE = 1e-3
"""Shares of a match that are too small to convince a neighbour."""
LIKELY = 0.05
"""Shares of a match from which on its nodes' neighbours are proposed to each other."""
PROPOSED, WORTH_IT = 4, 0.1
"""Candidates of a node that its neighbours propose, and how much of a neighbour must be for one."""
WIDENED = 2
"""Neighbours propose candidates before every second round."""
LOOKUPS_AT_ONCE, ROWS_AT_ONCE = 2**22, 2**13


def agreed(found: Candidates, how: Consensus) -> tuple[Candidates, csr_matrix]:
    """Return the candidates after all rounds, and their scores `[n1, n2]`.

    Between rounds, neighbours of matched nodes become candidates of each other.

    Args:
        found: candidates of B pairs, by what their nodes look like.
        how: how many rounds, and how much neighbours count.
    """
    S = S0 = first_scores(found, how)
    for t in range(how.rounds):
        M = partial_sinkhorn(S, how.bin, how.steps)
        if t % WIDENED == 1:
            found = widened(found, M)
            S0 = first_scores(found, how)
        beta = how.beta * how.growth**t
        adjacencies = found.left.adj, found.right.adj
        S = with_data(S0, S0.data + beta * neighbours_agree(*adjacencies, M, S0))
    return found, S


def widened(found: Candidates, M: csr_matrix) -> Candidates:
    """Return candidates with those on which a node's neighbours agree most."""
    proposed = proposals(found.left.few_edges, M, found.right.few_edges)
    return found.at(with_data(found.scores, np.ones(found.scores.nnz)) + proposed)


def proposals(A1: csr_matrix, M: csr_matrix, A2: csr_matrix) -> csr_matrix:
    """Return the largest entries of every row of `A1 M A2^T`, of matches that are likely."""
    known = (larger_than(M, LIKELY) @ A2.T).tocsr()
    slices = (slice(first, first + ROWS_AT_ONCE) for first in range(0, A1.shape[0], ROWS_AT_ONCE))
    sums = (larger_than((A1[rows] @ known).tocsr(), WORTH_IT) for rows in slices)
    return vstack([largest_of_rows(each, PROPOSED) for each in sums]).tocsr()


def first_scores(found: Candidates, how: Consensus) -> csr_matrix:
    """Return the scores with which the first round begins, noise included."""
    S = found.scores
    shares = (log_softmax_rows(S).data + log_softmax_columns(S).data) / 2
    i, j = found.left.local(rows_of(S)), found.right.local(S.indices)
    return with_data(S, shares + how.noise * tie_break(i, j, how.seed).numpy())


def partial_sinkhorn(S: csr_matrix, bin: float, steps: int) -> csr_matrix:
    """Return `u exp(S) v` whose rows and columns sum to one with what goes to the bins."""
    rows, shift = rows_of(S), largest(S, bin)
    K = with_data(S, np.exp(S.data - shift[rows]))
    row_bin, column_bin = np.exp(bin - shift), math.exp(bin)
    Kt, v = K.T, np.ones(S.shape[1])
    u = np.zeros(S.shape[0])
    for _ in range(steps):
        u = 1 / (K @ v + row_bin)
        v = 1 / (Kt @ u + column_bin)
    return with_data(K, u[rows] * K.data * v[S.indices])


def neighbours_agree(A1: csr_matrix, A2: csr_matrix, M: csr_matrix, cells: csr_matrix) -> Array:
    """Return the entries of `A1 M A2^T` at the cells of a table, `[m]`.

    The sum over the neighbours of i is made for all i at once; of its row, only the entries at
    neighbours of a candidate are looked up, from the side on which they are fewer.
    """
    rows, columns = rows_of(cells), cells.indices
    strong = larger_than(M, NEGLIGIBLE)
    degrees = np.diff(A1.indptr)[rows], np.diff(A2.indptr)[columns]
    if degrees[0].sum() < degrees[1].sum():
        return _lookups((A2 @ strong.T).tocsr(), columns, rows, A1)
    return _lookups((A1 @ strong).tocsr(), rows, columns, A2)


def _lookups(sums: csr_matrix, rows: Array, columns: Array, A: csr_matrix) -> Array:
    """Return `sum_j sums[row, j] A[column, j]` of every cell `[m]`."""
    sums.sort_indices()
    counts = np.diff(A.indptr)[columns]
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(LOOKUPS_AT_ONCE, counts.sum(), LOOKUPS_AT_ONCE))
    parts = np.split(np.arange(len(rows)), np.unique(cuts))
    return np.concatenate([_sums_of(sums, rows[part], columns[part], A) for part in parts])


def _sums_of(sums: csr_matrix, rows: Array, columns: Array, A: csr_matrix) -> Array:
    counts = np.diff(A.indptr)[columns]
    cell = np.repeat(np.arange(len(rows)), counts)
    shift = A.indptr[columns] - (np.cumsum(counts) - counts)
    entry = np.arange(len(cell)) + shift[cell]
    values = np.asarray(sums[rows[cell], A.indices[entry]]).ravel()
    return np.bincount(cell, values * A.data[entry], len(rows))
