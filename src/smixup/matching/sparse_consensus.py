"""Neighbourhood consensus of one large pair, on candidates alone; see `matching/consensus.py`.

The mathematics is that of `Consensus`, with every sum over the cells that are candidates: a node
has a few dozen, so that memory and time grow with the nodes and edges of the two graphs, not with
the product of their sizes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, hstack, identity, vstack
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

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
SECOND_CHOICES = 3
"""How often nodes look for a counterpart among what is left."""
EXACT = 2**14
"""Nodes of the smaller graph up to which candidates are rounded exactly."""


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


def one_to_one(found: Candidates, how: Consensus) -> csr_matrix:
    """Return one-to-one matches with large scores after all rounds, as entries of one.

    Among the candidates of a pair whose smaller graph has up to `EXACT` nodes they are the best; of
    a larger one the largest scores are taken first. Nodes whose candidates are all taken look
    for others among what is left, where their neighbours went, and in the end take what there is:
    as many are matched as the smaller graph has.
    """
    found, S = agreed(found, how)
    M = matches(found, S)
    beta = how.beta * how.growth ** max(how.rounds - 1, 0) if how.rounds else 0.0
    for _ in range(SECOND_CHOICES):
        free1, free2 = (np.asarray(M.sum(axis)).ravel() == 0 for axis in (1, 0))
        rest = found.among(free1, free2)
        if rest.scores.nnz == 0:
            break
        S = first_scores(rest, how)
        near = neighbours_agree(found.left.adj, found.right.adj, M, S)
        M = M + matches(rest, with_data(S, S.data + beta * near))
    return M + last_matches(found, M)


def last_matches(found: Candidates, M: csr_matrix) -> csr_matrix:
    """Return matches of the nodes that have none yet, as many as there are on both sides, in the
    order of their heights.
    """
    rows, columns = [], []
    for first_row, first_column, made in found.pairs(M):
        free = ((np.asarray(made.sum(axis)).ravel() == 0).nonzero()[0] for axis in (1, 0))
        i, j = (each + first for each, first in zip(free, (first_row, first_column), strict=True))
        number = min(len(i), len(j))
        rows.append(_spread(i[np.argsort(found.left.height[i], kind="stable")], number))
        columns.append(_spread(j[np.argsort(found.right.height[j], kind="stable")], number))
    i, j = np.concatenate(rows), np.concatenate(columns)
    return csr_matrix((np.ones(len(i)), (i, j)), shape=M.shape)


def _spread(nodes: Array, number: int) -> Array:
    """Return so many of the nodes, evenly spaced."""
    return nodes[(np.arange(number) * 2 + 1) * len(nodes) // (2 * max(number, 1))]


def matches(found: Candidates, S: csr_matrix) -> csr_matrix:
    """Return one-to-one matches pair by pair, given the scores of the candidates."""
    rows, columns = [], []
    for first_row, first_column, scores in found.pairs(S):
        match = best_matches if min(scores.shape) <= EXACT else greedy_matches
        i, j = match(scores)
        rows.append(i + first_row)
        columns.append(j + first_column)
    i, j = np.concatenate(rows), np.concatenate(columns)
    return csr_matrix((np.ones(len(i)), (i, j)), shape=S.shape)


def best_matches(S: csr_matrix) -> tuple[Array, Array]:
    """Return the matches with the largest sum of scores among those with most matches."""
    if S.nnz == 0:
        return np.zeros(0, int), np.zeros(0, int)
    n1, n2 = S.shape
    spread = S.data.max() - S.data.min() + 1
    gain = with_data(S, S.data - S.data.min() + 1 + spread * min(n1, n2))
    bins = identity(n1, format="csr") * 1e-3  # a node may stay without counterpart
    rows, columns = min_weight_full_bipartite_matching(hstack([gain, bins]).tocsr(), maximize=True)
    matched = columns < n2
    return rows[matched], columns[matched]


def greedy_matches(S: csr_matrix) -> tuple[Array, Array]:
    """Return matches that are best for both of their nodes, among what is left, until nothing is.

    Of scores above zero, their sum is at least half of the largest.
    """
    order = np.argsort(-S.data, kind="stable")
    rows, columns = rows_of(S)[order], S.indices[order]
    found1, found2 = [rows[:0]], [columns[:0]]
    while len(rows):
        place = np.arange(len(rows))
        first_row, first_column = np.full(S.shape[0], len(rows)), np.full(S.shape[1], len(rows))
        np.minimum.at(first_row, rows, place)
        np.minimum.at(first_column, columns, place)
        best = (first_row[rows] == place) & (first_column[columns] == place)
        found1.append(rows[best])
        found2.append(columns[best])
        taken1, taken2 = np.zeros(S.shape[0], bool), np.zeros(S.shape[1], bool)
        taken1[rows[best]] = taken2[columns[best]] = True
        left = ~(taken1[rows] | taken2[columns])
        rows, columns = rows[left], columns[left]
    return np.concatenate(found1), np.concatenate(found2)
