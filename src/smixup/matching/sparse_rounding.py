"""One-to-one matches of large pairs, from the scores of their candidates alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix, hstack, identity
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from smixup.matching.candidates import Candidates
from smixup.matching.sparse_consensus import agreed, first_scores, neighbours_agree
from smixup.matching.tables import rows_of, with_data

if TYPE_CHECKING:
    from smixup.matching.consensus import Consensus
    from smixup.matching.tables import Array

    Match: TypeAlias = Callable[[csr_matrix, int, int], tuple[Array, Array]]

SECOND_CHOICES = 3
"""How often nodes look for a counterpart among what is left."""
EXACT = 2**14
"""Nodes of the smaller graph up to which candidates are rounded exactly."""


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

    def in_order(made: csr_matrix, first_row: int, first_column: int) -> tuple[Array, Array]:
        i, j = ((np.asarray(made.sum(axis)).ravel() == 0).nonzero()[0] for axis in (1, 0))
        i = i[np.argsort(found.left.height[i + first_row], kind="stable")]
        j = j[np.argsort(found.right.height[j + first_column], kind="stable")]
        number = min(len(i), len(j))
        return _spread(i, number), _spread(j, number)

    return _pair_by_pair(found, M, in_order)


def _spread(nodes: Array, number: int) -> Array:
    """Return so many of the nodes, evenly spaced."""
    return nodes[(np.arange(number) * 2 + 1) * len(nodes) // (2 * max(number, 1))]


def matches(found: Candidates, S: csr_matrix) -> csr_matrix:
    """Return one-to-one matches pair by pair, given the scores of the candidates."""

    def rounded(scores: csr_matrix, *_: int) -> tuple[Array, Array]:
        small = min(scores.shape) <= EXACT
        return best_matches(scores) if small else greedy_matches(scores)

    return _pair_by_pair(found, S, rounded)


def _pair_by_pair(found: Candidates, table: csr_matrix, match: Match) -> csr_matrix:
    """Return what `match` finds in each pair's part of a table `[n1, n2]`, as entries of one."""
    rows, columns = [], []
    for first_row, first_column, part in found.pairs(table):
        i, j = match(part, first_row, first_column)
        rows.append(i + first_row)
        columns.append(j + first_column)
    i, j = np.concatenate(rows), np.concatenate(columns)
    return csr_matrix((np.ones(len(i)), (i, j)), shape=table.shape)


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
