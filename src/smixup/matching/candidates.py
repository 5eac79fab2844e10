"""Which nodes of a large pair may be matched at all: for every node its nearest ones on the other
side; and tables `[n1, n2]` with these few entries, as SciPy keeps them.

Of n1 n2 possible matches a few dozen per node are ever of use. They are searched tile by tile, so
that no table of all cells is made, and everything after them (consensus, rounding, the graph that
is carried over) costs what the candidates cost.

Nodes that look alike need different candidates, or all leaves of a hub would be sent to the same
few. So every node has a small coordinate of its own, random but close to its neighbours': leaves of
one hub come to lie side by side, and those of another hub elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets, ranks
from smixup.matching.network import ROW_BY_ROW, Similarity, cosine, euclidean
from smixup.matching.tie_breaks import tie_break
from smixup.memory import cells_at_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

NEAREST = 24
"""Candidates that each node has at least, where there are as many nodes."""
FEW = 64
"""Edges of a node along which its neighbours propose matches."""
CELLS_AT_ONCE, ENTRIES_AT_ONCE = 2**22, 2**16
TIES = 0
"""Seed of what decides where nothing else does."""
SHARED = 0.8
"""How much of its coordinate a node takes from its neighbours."""
SPREAD = 0.025
"""Deviation of the coordinates, in units of the similarity: small beside what means something."""


def with_data(S: csr_matrix, data: Array) -> csr_matrix:
    """Return a table with entries at the same places, and other values."""
    return csr_matrix((data, S.indices, S.indptr), shape=S.shape)


def rows_of(S: csr_matrix) -> Array:
    """Return the row of every entry `[m]`."""
    return np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))


def largest(S: csr_matrix, lowest: float = -np.inf) -> Array:
    """Return the largest entry of every row, at least `lowest`, `[n1]`."""
    values = np.full(S.shape[0], lowest)
    filled = np.diff(S.indptr) > 0
    if S.nnz:
        values[filled] = np.maximum.reduceat(S.data, S.indptr[:-1][filled])
    return np.maximum(values, lowest)


def log_softmax_rows(S: csr_matrix) -> csr_matrix:
    """Return the logarithm of each entry's share of its row, over the entries that there are."""
    rows = rows_of(S)
    shifted = S.data - largest(S)[rows]
    sums = np.bincount(rows, np.exp(shifted), S.shape[0])
    return with_data(S, shifted - np.log(sums[rows]))


def log_softmax_columns(S: csr_matrix) -> csr_matrix:
    """Return the logarithm of each entry's share of its column."""
    return log_softmax_rows(S.T.tocsr()).T.tocsr()


def largest_of_rows(S: csr_matrix, number: int) -> csr_matrix:
    """Keep so many of the largest entries of every row."""
    if S.nnz == 0 or np.diff(S.indptr).max() <= number:
        return S
    rows = rows_of(S)
    order = np.lexsort((-S.data, rows))
    return _with_entries(S, np.sort(order[np.arange(S.nnz) - S.indptr[rows] < number]))


def larger_than(S: csr_matrix, threshold: float) -> csr_matrix:
    """Keep the entries above a threshold."""
    return _with_entries(S, (S.data > threshold).nonzero()[0])


def _with_entries(S: csr_matrix, kept: Array) -> csr_matrix:
    row_ptr = np.searchsorted(kept, S.indptr)
    return csr_matrix((S.data[kept], S.indices[kept], row_ptr), shape=S.shape)


@dataclass(frozen=True)
class Points:
    """Nodes where they are searched: for each a, `a . b - bias(b)` ranks the nodes b."""

    place: Tensor  # [n, d]
    bias: Tensor  # [n]

    @classmethod
    def of(cls, h: Tensor, tie: Tensor, similarity: Similarity) -> Points:
        """Return where nodes lie, given representations `[n, H]`, and one more coordinate `[n]` by
        whose difference those are ranked that are alike.
        """
        h = F.normalize(h, dim=1) if similarity is cosine else h
        place = torch.cat([h, tie.unsqueeze(1)], dim=1)
        # |a - b|^2 / 2 = |a|^2 / 2 - a.b + |b|^2 / 2, and the first term is the same for all b.
        distances_of = place if similarity is euclidean else place[:, -1:]
        return cls(place, distances_of.square().sum(1) / 2)

    def __getitem__(self, nodes: Tensor) -> Points:
        return Points(self.place[nodes], self.bias[nodes])

    def __len__(self) -> int:
        return len(self.bias)

    def nearest(self, others: Points, number: int) -> Tensor:
        """Return the nearest nodes of the other side for each node, `[n1, number]`, or all there
        are; some rows of the table at a time.
        """
        number = min(number, len(others))
        rows = cells_at_once(CELLS_AT_ONCE, self.place.element_size()) // max(len(others), 1)
        rows = max(1, rows)
        nodes = torch.empty(len(self), number, dtype=torch.long, device=self.bias.device)
        # One tile for all: small results between tiles that come and go would keep these from
        # going.
        table = self.place.new_empty(min(rows, len(self)), len(others))
        for begin in range(0, len(self), rows):
            tile = self.place[begin : begin + rows]
            part = table[: len(tile)]
            torch.addmm(others.bias, tile, others.place.T, beta=-1, out=part)
            nodes[begin : begin + rows] = part.topk(number).indices
        return nodes


@dataclass(frozen=True)
class Side:
    """The graphs of one side of B pairs, representations of their nodes `[n, H]`, and where these
    are searched.
    """

    graphs: Graphs
    h: Tensor
    points: Points

    @cached_property
    def adj(self) -> csr_matrix:
        """The edges."""
        A = self.graphs.adj.to_sparse().merged()
        return _csr(A.weight, A.column, A.row_ptr, A.shape)

    @cached_property
    def few_edges(self) -> csr_matrix:
        """The edges, of a hub only so many of them that its leaves can propose each other."""
        ends = self.local(rows_of(self.adj)), self.local(self.adj.indices)
        kept = largest_of_rows(with_data(self.adj, tie_break(*ends, TIES).numpy()), FEW)
        return with_data(kept, np.ones(kept.nnz))

    def local(self, nodes: Array) -> Tensor:
        """Return the numbers of nodes within their graphs."""
        first = self.graphs.ptr[self.graphs.batch].cpu()
        places = torch.from_numpy(nodes).long()
        return places - first[places]

    @cached_property
    def height(self) -> Array:
        """A number for each node `[n]` that is close for nodes which look alike."""
        place = self.points.place
        direction = torch.linspace(-1, 1, place.size(1), device=place.device, dtype=place.dtype)
        return (place @ direction).cpu().numpy()

    def chosen(self, mask: Tensor | None) -> Iterator[Tensor]:
        """Go through the graphs: the nodes of each, or those of them that are marked `[n]`."""
        for first, end in pairwise(self.graphs.ptr.tolist()):
            nodes = torch.arange(first, end, device=self.h.device)
            yield nodes if mask is None else nodes[mask[first:end]]


@dataclass(frozen=True)
class Candidates:
    """Matches that are considered, of B pairs.

    Attributes:
        left, right: the nodes of G1 and G2.
        similarity: of the assignment.
        factor: of that similarity, so that its softmax is an assignment.
        scores: of the candidates, `[n1, n2]`; all other cells have none.
    """

    left: Side
    right: Side
    similarity: Similarity
    factor: float
    scores: csr_matrix

    def pairs(self, table: csr_matrix) -> Iterator[tuple[int, int, csr_matrix]]:
        """Go through the pairs: the first row and column of each, and its part of a table."""
        bounds = (pairwise(side.graphs.ptr.tolist()) for side in (self.left, self.right))
        for (a, b), (c, d) in zip(*bounds, strict=True):
            yield a, c, table[a:b, c:d]

    def among(self, free1: Array, free2: Array) -> Candidates:
        """Return candidates of some nodes among some of the others, `[n1]` and `[n2]` marked."""
        first, second = (torch.from_numpy(free).to(self.left.h.device) for free in (free1, free2))
        return self.searched(first, second)

    def at(self, cells: csr_matrix) -> Candidates:
        """Return these cells as candidates, whatever the values of the table are."""
        cells.sort_indices()
        row, column = (torch.from_numpy(ends).long() for ends in (rows_of(cells), cells.indices))
        return replace(self, scores=with_data(cells, self._scores(row, column).numpy()))

    def searched(
        self, free1: Tensor | None = None, free2: Tensor | None = None, nearest: int = NEAREST
    ) -> Candidates:
        """Return the nearest nodes as candidates, pair by pair.

        Where fewer nodes are left, each has more of them: as many in all.
        """
        left, right = self.left, self.right
        rows, columns = [], []
        totals = (left.graphs.sizes + right.graphs.sizes).tolist()
        chosen = zip(left.chosen(free1), right.chosen(free2), totals, strict=True)
        for nodes1, nodes2, total in chosen:
            one, other = left.points[nodes1], right.points[nodes2]
            number = nearest * total // max(1, len(one) + len(other))
            i, j = _cells(one.nearest(other, number), other.nearest(one, number))
            rows.append(nodes1[i])
            columns.append(nodes2[j])
        row, column, shape = torch.cat(rows), torch.cat(columns), (len(left.h), len(right.h))
        row_ptr = offsets(torch.bincount(row, minlength=shape[0]))
        return replace(self, scores=_csr(self._scores(row, column), column, row_ptr, shape))

    def _scores(self, row: Tensor, column: Tensor) -> Tensor:
        h1, h2 = self.left.h, self.right.h
        cells = (ends.to(h1.device).split(ENTRIES_AT_ONCE) for ends in (row, column))
        of_rows = ROW_BY_ROW[self.similarity]
        parts = [of_rows(h1[i], h2[j]) for i, j in zip(*cells, strict=True)]
        return self.factor * torch.cat([h1.new_zeros(0), *parts]).double().cpu()


def find_candidates(
    left: Graphs,
    right: Graphs,
    h: tuple[Tensor, Tensor],
    similarity: Similarity,
    factor: float = 1.0,
    nearest: int = NEAREST,
) -> Candidates:
    """Return for every node the `nearest` or more most similar ones of the other graph of its pair,
    given representations `[n1, H]` and `[n2, H]`.
    """
    # Distances are the same from anywhere, and sharpest from the middle.
    middle = h[0].mean(0) if similarity is euclidean else 0.0
    first, second = (
        Side(graphs, own, Points.of(own - middle, tie_coordinates(graphs, side), similarity))
        for side, (graphs, own) in enumerate(zip((left, right), h, strict=True))
    )
    nothing = csr_matrix((left.num_nodes, right.num_nodes))
    return Candidates(first, second, similarity, factor, nothing).searched(nearest=nearest)


def _cells(forward: Tensor, backward: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows and columns of all cells that one side or the other wants, in order of rows."""
    n1, n2 = len(forward), len(backward)
    if n1 == 0 or n2 == 0:
        return forward.new_zeros(0), forward.new_zeros(0)
    i, j = (torch.arange(n, device=forward.device).unsqueeze(1) for n in (n1, n2))
    cell = torch.unique(torch.cat([(i * n2 + forward).flatten(), (backward * n2 + j).flatten()]))
    return cell // n2, cell % n2


def tie_coordinates(graphs: Graphs, side: int) -> Tensor:
    """Return a number for each node `[n]` that is random, and close to those of its neighbours.

    It depends on the node's number in its graph, not on the graphs beside it. The numbers of a
    graph are evenly spaced, so that the two sides of a pair have equal shares of their nodes
    everywhere.
    """
    local = torch.arange(graphs.num_nodes, device=graphs.device) - graphs.ptr[graphs.batch]
    own = tie_break(local.cpu(), torch.tensor(side), TIES).to(graphs.device)
    A = graphs.adj.to_sparse()
    A = replace(A, weight=A.weight.abs())
    degree = A.row_sums().clamp(min=1e-12)
    shared = own
    for _ in range(2):
        shared = torch.lerp(own, A.product(shared.unsqueeze(1)).squeeze(1) / degree, SHARED)
    share = (ranks(graphs.ptr, shared) + 0.5) / graphs.sizes[graphs.batch]
    return SPREAD * math.sqrt(12) * (share - 0.5)


def _csr(values: Tensor, column: Tensor, row_ptr: Tensor, shape: tuple[int, int]) -> csr_matrix:
    parts = (part.cpu().numpy() for part in (values.double(), column, row_ptr))
    return csr_matrix(tuple(parts), shape=shape)
