"""Pairs too large for a table of all their cells, matched one at a time on a few cells per node
alone: its nearest nodes on the other side, and those that neighbours propose. The mathematics is
that of `assign.OneToOne`.

Nodes that look alike need different candidates, or all leaves of a hub would be sent to the same
few. So every node has a small coordinate of its own, random but close to its neighbours': leaves of
one hub come to lie side by side, and those of another hub elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix, hstack, identity
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.stats import rankdata
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import ranges
from smixup.matching.network import ROW_BY_ROW, Similarity, cosine, euclidean
from smixup.matching.pairs import NEGLIGIBLE, require_pairs, tie_break
from smixup.memory import cells_at_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from smixup.matching.assign import OneToOne

    Array: TypeAlias = NDArray[Any]

CELLS = 2**17
"""Cells `n1 n2` up to which a pair is matched by a table of all of them."""
NODES = 2**10
"""Nodes of the larger graph up to which its edges are written as a table, too."""
TILE, ENTRIES_AT_ONCE = 2**22, 2**16
NEAREST = 24
"""Candidates that each node has at least, where there are as many nodes."""
SHARED, SPREAD = 0.8, 0.025
"""How much of its coordinate a node takes from its neighbours; deviation of the coordinates, in
units of the similarity: small beside what means something.
"""
UNCONVINCING = 1e-3
"""Shares of a match that are too small to convince a neighbour."""
LIKELY, FEW, PROPOSED, WORTH_IT = 0.05, 64, 4, 0.1
"""Shares of a match from which on its nodes' neighbours are proposed to each other, along how many
edges of a node, how many to each, and how much of a neighbour must be for one.
"""
SECOND_CHOICES = 3
"""How often nodes look for a counterpart among what is left."""


def are_large(left: Graphs, right: Graphs) -> Tensor:
    """Tell of each pair whether it is too large for tables, `[B]`."""
    require_pairs(left, right)
    larger = torch.maximum(left.sizes, right.sizes)
    return (left.sizes * right.sizes > CELLS) | (larger > NODES)


def joined(
    parts: Sequence[tuple[Tensor, SparseOperator]], left: Graphs, right: Graphs
) -> SparseOperator:
    """Return the assignments of all pairs `[n1, n2]` from parts: some pairs `[b]`, and theirs."""
    chosen = torch.cat([pairs for pairs, _ in parts])
    M = SparseOperator.stack([assigned for _, assigned in parts])
    rows, columns = (ranges(side.ptr[chosen], side.sizes[chosen]) for side in (left, right))
    shape = left.num_nodes, right.num_nodes
    return SparseOperator.from_entries(rows[M.row], columns[M.column], M.weight, shape)


def as_operator(M: csr_matrix, device: torch.device) -> SparseOperator:
    """Return a table of SciPy as an operator, without what is negligible."""
    M = only(M, M.data > NEGLIGIBLE)
    row, column = indices(M)
    weight = torch.from_numpy(M.data).float()
    return SparseOperator.from_entries(row, column, weight, M.shape).to(device)


def with_data(S: csr_matrix, data: Array) -> csr_matrix:
    """Return a table with entries at the same places, and other values."""
    return csr_matrix((data, S.indices, S.indptr), shape=S.shape)


def only(S: csr_matrix, kept: Array) -> csr_matrix:
    """Return a table without the entries that are not marked `[m]`."""
    row_ptr = np.concatenate([[0], np.cumsum(kept)])[S.indptr]
    return csr_matrix((S.data[kept], S.indices[kept], row_ptr), shape=S.shape)


def rows_of(S: csr_matrix) -> Array:
    """Return the row of every entry `[m]`."""
    return np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))


def indices(S: csr_matrix) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of all entries for torch, `[m]` each."""
    return torch.from_numpy(rows_of(S)), torch.from_numpy(S.indices).long()


def largest_of_rows(S: csr_matrix, number: int) -> csr_matrix:
    """Keep so many of the largest entries of every row."""
    rows = rows_of(S)
    order = np.lexsort((-S.data, rows))
    kept = np.zeros(S.nnz, dtype=bool)
    kept[order[np.arange(S.nnz) - S.indptr[rows] < number]] = True
    return only(S, kept)


def log_softmax(S: csr_matrix, axis: int) -> csr_matrix:
    """Return the logarithm of each entry's share of its column (axis 0) or row (axis 1), over the
    entries that there are.
    """
    line, number = (S.indices, S.shape[1]) if axis == 0 else (rows_of(S), S.shape[0])
    largest = np.full(number, -np.inf)
    np.maximum.at(largest, line, S.data)
    shifted = S.data - largest[line]
    return with_data(S, shifted - np.log(np.bincount(line, np.exp(shifted), number)[line]))


def exp(S: csr_matrix) -> csr_matrix:
    """Return the exponential of every entry."""
    return with_data(S, np.exp(S.data))


@dataclass(frozen=True)
class Candidates:
    """Matches that are considered, of one pair.

    Attributes:
        A1, A2: edges of the two graphs.
        place1, place2: where their nodes lie, `[n1, H + 1]` and `[n2, H + 1]`: representations, and
            a coordinate that tells those apart that look alike.
        similarity: of the assignment.
        factor: of that similarity, so that its softmax is an assignment.
        scores: of the candidates, `[n1, n2]`; all other cells have none.
    """

    A1: csr_matrix
    A2: csr_matrix
    place1: Tensor
    place2: Tensor
    similarity: Similarity
    factor: float
    scores: csr_matrix

    @classmethod
    def of(
        cls,
        left: Graphs,
        right: Graphs,
        h: tuple[Tensor, Tensor],
        similarity: Similarity,
        factor: float = 1.0,
        nearest: int = NEAREST,
    ) -> Candidates:
        """Take for every node the `nearest` most similar ones of the other graph, given
        representations `[n1, H]` and `[n2, H]`.
        """
        # Distances are the same from anywhere, and sharpest from the middle.
        middle = h[0].mean(0) if similarity is euclidean and len(h[0]) else 0.0
        sides = []
        for number, (graph, x) in enumerate(zip((left, right), h, strict=True)):
            A = graph.adj.merged()
            parts = (part.cpu().numpy() for part in (A.weight.double(), A.column, A.row_ptr))
            adj = csr_matrix(tuple(parts), shape=A.shape)
            x = F.normalize(x, dim=1) if similarity is cosine else x - middle
            tie = torch.from_numpy(tie_coordinates(adj, number)).to(x).unsqueeze(1)
            sides.append((adj, torch.cat([x, tie], 1)))
        (A1, place1), (A2, place2) = sides
        none = csr_matrix((len(place1), len(place2)))
        i, j = (torch.arange(len(place), device=place.device) for place in (place1, place2))
        return cls(A1, A2, place1, place2, similarity, factor, none).among(i, j, nearest)

    def among(self, i: Tensor, j: Tensor, nearest: int = NEAREST) -> Candidates:
        """Return the nearest nodes as candidates, of some nodes `[m1]` among some of the others
        `[m2]`; where fewer are left, each has more of them: as many in all.
        """
        number = nearest * sum(self.scores.shape) // max(1, len(i) + len(j))
        forward = _nearest(self.place1[i], self.place2[j], number)
        backward = _nearest(self.place2[j], self.place1[i], number)
        row = torch.cat([i.repeat_interleave(forward.size(1)), i[backward.flatten()]]).cpu()
        column = torch.cat([j[forward.flatten()], j.repeat_interleave(backward.size(1))]).cpu()
        cells = csr_matrix((np.ones(len(row)), (row, column)), shape=self.scores.shape)
        return self.at(cells)

    def at(self, cells: csr_matrix) -> Candidates:
        """Return these cells as candidates, whatever the values of the table are."""
        cells.sort_indices()
        h1, h2, similarity = self.place1[:, :-1], self.place2[:, :-1], ROW_BY_ROW[self.similarity]
        row, column = (ends.to(h1.device).split(ENTRIES_AT_ONCE) for ends in indices(cells))
        parts = [similarity(h1[i], h2[j]) for i, j in zip(row, column, strict=True)]
        data = self.factor * torch.cat(parts).double().cpu()
        return replace(self, scores=with_data(cells, data.numpy()))


def _nearest(place: Tensor, other: Tensor, number: int) -> Tensor:
    """Return the nearest other places of each place, some rows of the table at a time."""
    # |a - b|^2 / 2 = |a|^2 / 2 - a.b + |b|^2 / 2, and the first term is the same for all b.
    bias = other.square().sum(1) / 2
    rows = max(1, cells_at_once(TILE, place.element_size()) // max(len(other), 1))
    number = min(number, len(other))
    tiles = place.split(rows)
    return torch.cat([torch.addmm(bias, t, other.T, beta=-1).topk(number).indices for t in tiles])


def tie_coordinates(adj: csr_matrix, number: int) -> Array:
    """Return a number for each node `[n]` that is random, and close to those of its neighbours;
    evenly spaced, so that both sides of a pair have equal shares of their nodes everywhere.
    """
    A, n = abs(adj), adj.shape[0]
    own = tie_break(torch.arange(n), torch.tensor(number)).double().numpy()
    degree, shared = np.maximum(np.asarray(A.sum(1)).ravel(), 1e-12), own
    for _ in range(2):
        shared = own + SHARED * (A @ shared / degree - own)
    share = (rankdata(shared, "ordinal") - 0.5) / max(n, 1)
    return np.asarray(SPREAD * math.sqrt(12) * (share - 0.5))


def agreed(near: Candidates, how: OneToOne) -> tuple[Candidates, csr_matrix]:
    """Return the candidates after all rounds, and their scores `[n1, n2]`; before every second
    round, neighbours of matched nodes become candidates of each other.
    """
    few1, few2 = few_edges(near.A1), few_edges(near.A2)
    S = S0 = first_scores(near, how)
    for t in range(how.rounds):
        M = partial_sinkhorn(S, how.bin, how.steps)
        if t % 2 == 1:
            known = with_data(near.scores, np.ones(near.scores.nnz))
            near = near.at(known + proposals(few1, M, few2))
            S0 = first_scores(near, how)
        gain = neighbours_agree(near.A1, near.A2, M, S0)
        S = with_data(S0, S0.data + how.growth**t * gain)
    return near, S


def few_edges(adj: csr_matrix) -> csr_matrix:
    """Return the edges, of a hub only so many that its leaves can be proposed to each other."""
    ties = tie_break(*indices(adj)).numpy()
    kept = largest_of_rows(with_data(adj, ties), FEW)
    return with_data(kept, np.ones(kept.nnz))


def proposals(A1: csr_matrix, M: csr_matrix, A2: csr_matrix) -> csr_matrix:
    """Return the largest entries of every row of `A1 M A2^T`, of matches that are likely."""
    sums = (A1 @ (only(M, M.data > LIKELY) @ A2.T).tocsr()).tocsr()
    return largest_of_rows(only(sums, sums.data > WORTH_IT), PROPOSED)


def first_scores(near: Candidates, how: OneToOne) -> csr_matrix:
    """Return the scores with which the first round begins, noise included."""
    S = near.scores
    shares = (log_softmax(S, 1).data + log_softmax(S, 0).data) / 2
    return with_data(S, shares + how.noise * tie_break(*indices(S)).numpy())


def partial_sinkhorn(S: csr_matrix, bin: float, steps: int) -> csr_matrix:
    """Return `u exp(S) v` whose rows and columns sum to one with what goes to the bins."""
    rows, shift = rows_of(S), np.full(S.shape[0], bin)
    np.maximum.at(shift, rows, S.data)  # the largest entry of a row becomes one
    K = with_data(S, np.exp(S.data - shift[rows]))
    row_bin, column_bin = np.exp(bin - shift), math.exp(bin)
    u, v = np.zeros(S.shape[0]), np.ones(S.shape[1])
    for _ in range(steps):
        u = 1 / (K @ v + row_bin)
        v = 1 / (K.T @ u + column_bin)
    return with_data(K, u[rows] * K.data * v[S.indices])


def neighbours_agree(A1: csr_matrix, A2: csr_matrix, M: csr_matrix, cells: csr_matrix) -> Array:
    """Return the entries of `A1 M A2^T` at the cells of a table, `[m]`: `A1 M` is made as a whole,
    and of its rows only the entries at neighbours of a candidate are looked up.
    """
    sums = (A1 @ only(M, M.data > UNCONVINCING)).tocsr()
    sums.sort_indices()
    rows = rows_of(cells)
    gains: list[Array] = [np.zeros(0)]
    for first in range(0, cells.nnz, ENTRIES_AT_ONCE):
        some = slice(first, first + ENTRIES_AT_ONCE)
        near = A2[cells.indices[some]]  # a row for each cell
        cell = rows_of(near)
        values = np.asarray(sums[rows[some][cell], near.indices]).ravel()
        gains.append(np.bincount(cell, values * near.data, near.shape[0]))
    return np.concatenate(gains)


def one_to_one(near: Candidates, how: OneToOne) -> csr_matrix:
    """Return one-to-one matches of largest scores, as entries of one. Nodes whose candidates are
    taken look for others among what is left, and in the end are matched in order: as many as the
    smaller graph has.
    """
    near, S = agreed(near, how)
    M = best_matches(S)
    beta = how.growth ** (how.rounds - 1) if how.rounds else 0.0
    for _ in range(SECOND_CHOICES):
        i, j = unmatched(near, M)
        rest = near.among(i, j)
        if rest.scores.nnz == 0:
            break
        S = first_scores(rest, how)
        gain = neighbours_agree(near.A1, near.A2, M, S)
        M = M + best_matches(with_data(S, S.data + beta * gain))
    free = unmatched(near, M)
    number = min(map(len, free))
    middles = torch.arange(number) * 2 + 1  # evenly spaced
    i, j = (nodes[middles * len(nodes) // max(2 * number, 1)].cpu() for nodes in free)
    return M + csr_matrix((np.ones(number), (i, j)), shape=M.shape)


def unmatched(near: Candidates, M: csr_matrix) -> list[Tensor]:
    """Return the nodes of both graphs without a match, those that look alike close together."""
    nodes = []
    for axis, place in ((1, near.place1), (0, near.place2)):
        order = (place @ torch.linspace(-1, 1, place.size(1)).to(place)).argsort(stable=True)
        free = torch.from_numpy(np.asarray(M.sum(axis)).ravel() == 0).to(order.device)
        nodes.append(order[free[order]])
    return nodes


def best_matches(S: csr_matrix) -> csr_matrix:
    """Return the matches with the largest sum of scores among those with most matches, as entries
    of one.
    """
    if S.nnz == 0:
        return csr_matrix(S.shape)
    n1, n2 = S.shape
    spread = S.data.max() - S.data.min() + 1
    gain = with_data(S, S.data - S.data.min() + 1 + spread * min(n1, n2))
    bins = identity(n1, format="csr") * 1e-3  # a node may stay without counterpart
    row, column = min_weight_full_bipartite_matching(hstack([gain, bins]).tocsr(), maximize=True)
    row, column = row[column < n2], column[column < n2]
    return csr_matrix((np.ones(len(row)), (row, column)), shape=S.shape)
