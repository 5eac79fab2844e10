"""Pairs too large for a table of all their cells: told apart, matched on candidates alone, a few at
a time, and put back among the others.

The mathematics is that of `assign.Consensus`, with every sum over the cells that are candidates: a
node has a few dozen, so that memory and time grow with the nodes and edges of the two graphs, not
with the product of their sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch
from scipy.sparse import csr_matrix, hstack, identity, vstack
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import ranges, ranks
from smixup.matching.candidates import (
    Candidates,
    larger_than,
    largest,
    largest_of_rows,
    log_softmax_columns,
    log_softmax_rows,
    rows_of,
    with_data,
)
from smixup.matching.pairs import BYTES_PER_CELL, NEGLIGIBLE, require_pairs, runs
from smixup.matching.tie_breaks import tie_break
from smixup.memory import cells_at_once

if TYPE_CHECKING:
    from smixup.matching.assign import Consensus
    from smixup.matching.candidates import Array

    Match: TypeAlias = Callable[[csr_matrix, int, int], tuple[Array, Array]]

CELLS = 2**17
"""Cells `n1 n2` up to which a pair is matched by a table of all of them."""
NODES = 2**10
"""Nodes of the larger graph up to which its edges are written as a table, too."""
NODES_AT_ONCE, CELLS_AT_ONCE, LOOKUPS_AT_ONCE, ROWS_AT_ONCE = 2**13, 2**25, 2**22, 2**13
UNCONVINCING = 1e-3
"""Shares of a match that are too small to convince a neighbour."""
LIKELY = 0.05
"""Shares of a match from which on its nodes' neighbours are proposed to each other."""
PROPOSED, WORTH_IT = 4, 0.1
"""Candidates of a node that its neighbours propose, and how much of a neighbour must be for one."""
SECOND_CHOICES = 3
"""How often nodes look for a counterpart among what is left."""


def are_large(left: Graphs, right: Graphs) -> Tensor:
    """Tell of each pair whether it is too large for tables, `[B]`."""
    require_pairs(left, right)
    larger = torch.maximum(left.sizes, right.sizes)
    return (left.sizes * right.sizes > CELLS) | (larger > NODES)


def in_runs(left: Graphs, right: Graphs, chosen: Tensor) -> Iterator[Tensor]:
    """Go through some large pairs `[b]` in order, as many at a time as have `NODES_AT_ONCE` nodes
    together, or a single one.
    """
    costs = (left.sizes + right.sizes)[chosen]
    return map(chosen.new_tensor, runs(chosen.tolist(), costs.tolist(), NODES_AT_ONCE))


def in_table_runs(left: Graphs, right: Graphs, chosen: Tensor) -> Iterator[Tensor]:
    """Go through some small pairs `[b]` in order, as many at a time as have `CELLS_AT_ONCE` cells
    in the tables of both graphs and of the pair, or a single one.
    """
    costs = (left.sizes + right.sizes)[chosen].square()
    most = cells_at_once(CELLS_AT_ONCE, BYTES_PER_CELL)
    return map(chosen.new_tensor, runs(chosen.tolist(), costs.tolist(), most))


def joined(
    parts: Sequence[tuple[Tensor, SparseOperator]], left: Graphs, right: Graphs
) -> SparseOperator:
    """Return the assignments of all pairs `[n1, n2]` from parts: some pairs `[b]`, and theirs."""
    rows, columns = list[Tensor](), list[Tensor]()
    for chosen, M in parts:
        rows.append(ranges(left.ptr[chosen], left.sizes[chosen])[M.row])
        columns.append(ranges(right.ptr[chosen], right.sizes[chosen])[M.column])
    weight = torch.cat([M.weight for _, M in parts])
    shape = left.num_nodes, right.num_nodes
    return SparseOperator.from_entries(torch.cat(rows), torch.cat(columns), weight, shape)


def as_operator(M: csr_matrix, like: Tensor) -> SparseOperator:
    """Return a table of SciPy as an operator where `like` is, without what is negligible."""
    M = larger_than(M, NEGLIGIBLE)
    M.sort_indices()
    row_ptr, column = (torch.from_numpy(part).long() for part in (M.indptr, M.indices))
    weight = torch.from_numpy(M.data).float()
    return SparseOperator(row_ptr, column, weight, M.shape[1]).to(like.device)


def with_few_entries(M: SparseOperator, k: int) -> SparseOperator:
    """Keep the k largest entries of every column and scale them to the column's sum."""
    columns = M.T
    kept = columns.mask_entries(ranks(columns.row_ptr, -columns.weight) < k)
    total, rest = columns.row_sums(), kept.row_sums()
    return (torch.where(rest > 0, total / rest, 0.0) * kept).T


def agreed(near: Candidates, how: Consensus) -> tuple[Candidates, csr_matrix]:
    """Return the candidates after all rounds, and their scores `[n1, n2]`; before every second
    round, neighbours of matched nodes become candidates of each other.
    """
    S = S0 = first_scores(near, how)
    for t in range(how.rounds):
        M = partial_sinkhorn(S, how.bin, how.steps)
        if t % 2 == 1:
            proposed = proposals(near.left.few_edges, M, near.right.few_edges)
            near = near.at(with_data(near.scores, np.ones(near.scores.nnz)) + proposed)
            S0 = first_scores(near, how)
        beta = how.beta * how.growth**t
        S = with_data(S0, S0.data + beta * neighbours_agree(near.left.adj, near.right.adj, M, S0))
    return near, S


def proposals(A1: csr_matrix, M: csr_matrix, A2: csr_matrix) -> csr_matrix:
    """Return the largest entries of every row of `A1 M A2^T`, of matches that are likely."""
    known = (larger_than(M, LIKELY) @ A2.T).tocsr()
    slices = (slice(first, first + ROWS_AT_ONCE) for first in range(0, A1.shape[0], ROWS_AT_ONCE))
    sums = (larger_than((A1[rows] @ known).tocsr(), WORTH_IT) for rows in slices)
    return vstack([largest_of_rows(part, PROPOSED) for part in sums]).tocsr()


def first_scores(near: Candidates, how: Consensus) -> csr_matrix:
    """Return the scores with which the first round begins, noise included."""
    S = near.scores
    shares = (log_softmax_rows(S).data + log_softmax_columns(S).data) / 2
    i, j = near.left.local(rows_of(S)), near.right.local(S.indices)
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
    strong = larger_than(M, UNCONVINCING)
    if np.diff(A1.indptr)[rows].sum() < np.diff(A2.indptr)[columns].sum():
        return _lookups((A2 @ strong.T).tocsr(), columns, rows, A1)
    return _lookups((A1 @ strong).tocsr(), rows, columns, A2)


def _lookups(sums: csr_matrix, rows: Array, columns: Array, A: csr_matrix) -> Array:
    """Return `sum_j sums[row, j] A[column, j]` of every cell `[m]`."""
    sums.sort_indices()
    ends = np.cumsum(np.diff(A.indptr)[columns])
    total = ends[-1] if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(LOOKUPS_AT_ONCE, total, LOOKUPS_AT_ONCE))
    parts = np.split(np.arange(len(rows)), np.unique(cuts))
    return np.concatenate([_sums_of(sums, rows[part], columns[part], A) for part in parts])


def _sums_of(sums: csr_matrix, rows: Array, columns: Array, A: csr_matrix) -> Array:
    counts = np.diff(A.indptr)[columns]
    cell = np.repeat(np.arange(len(rows)), counts)
    shift = A.indptr[columns] - (np.cumsum(counts) - counts)
    entry = np.arange(len(cell)) + shift[cell]
    values = np.asarray(sums[rows[cell], A.indices[entry]]).ravel()
    return np.bincount(cell, values * A.data[entry], len(rows))


def one_to_one(near: Candidates, how: Consensus) -> csr_matrix:
    """Return the one-to-one matches with the largest sum of scores after all rounds, as entries of
    one.

    Nodes whose candidates are all taken look for others among what is left, where their neighbours
    went, and in the end take what there is: as many are matched as the smaller graph has.
    """
    near, S = agreed(near, how)
    M = matches(near, S)
    beta = how.beta * how.growth ** max(how.rounds - 1, 0) if how.rounds else 0.0
    for _ in range(SECOND_CHOICES):
        rest = near.among(*_free(M))
        if rest.scores.nnz == 0:
            break
        S = first_scores(rest, how)
        gain = neighbours_agree(near.left.adj, near.right.adj, M, S)
        M = M + matches(rest, with_data(S, S.data + beta * gain))
    return M + last_matches(near, M)


def matches(near: Candidates, S: csr_matrix) -> csr_matrix:
    """Return one-to-one matches pair by pair, given the scores of the candidates."""
    return _pair_by_pair(near, S, lambda scores, *_: best_matches(scores))


def last_matches(near: Candidates, M: csr_matrix) -> csr_matrix:
    """Return matches of the nodes that have none yet, as many as there are on both sides, in the
    order of their heights.
    """

    def in_order(part: csr_matrix, first_row: int, first_column: int) -> tuple[Array, Array]:
        i, j = (free.nonzero()[0] for free in _free(part))
        i = i[np.argsort(near.left.height[i + first_row], kind="stable")]
        j = j[np.argsort(near.right.height[j + first_column], kind="stable")]
        number = min(len(i), len(j))
        return _spread(i, number), _spread(j, number)

    return _pair_by_pair(near, M, in_order)


def _free(M: csr_matrix) -> tuple[Array, Array]:
    """Mark the rows and the columns without an entry."""
    return np.asarray(M.sum(1)).ravel() == 0, np.asarray(M.sum(0)).ravel() == 0


def _spread(nodes: Array, number: int) -> Array:
    """Return so many of the nodes, evenly spaced."""
    return nodes[(np.arange(number) * 2 + 1) * len(nodes) // (2 * max(number, 1))]


def _pair_by_pair(near: Candidates, table: csr_matrix, match: Match) -> csr_matrix:
    """Return what `match` finds in each pair's part of a table `[n1, n2]`, as entries of one."""
    rows, columns = [], []
    for first_row, first_column, part in near.pairs(table):
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
