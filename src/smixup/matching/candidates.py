"""Which nodes of a large pair may be matched at all: for every node its nearest ones on the other
side.

Of n1 n2 possible matches a few dozen per node are ever of use. They are searched tile by tile, so
that no table `[n1, n2]` is made, and everything after them (consensus, rounding, the graph that is
carried over) costs what the candidates cost.

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
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets, ranks
from smixup.matching.neighbour_search import Points, nearest_of, points
from smixup.matching.similarity import ROW_BY_ROW, Similarity, euclidean
from smixup.matching.tables import largest_of_rows, rows_of, with_data
from smixup.matching.tie_breaks import tie_break

if TYPE_CHECKING:
    from smixup.matching.tables import Array

NEAREST = 24
"""Candidates that each node has at least, where there are as many nodes."""
FEW = 64
"""Edges of a node along which its neighbours propose matches."""
ENTRIES_AT_ONCE = 2**16
TIES = 0
"""Seed of what decides where nothing else does."""
SHARED = 0.8
"""How much of its coordinate a node takes from its neighbours."""
SPREAD = 0.025
"""Deviation of the coordinates, in units of the similarity: small beside what means something."""


@dataclass(frozen=True)
class Side:
    """The nodes of one side of B pairs.

    Attributes:
        graphs: B graphs.
        h: representations of their nodes `[n, H]`.
        points: where they are searched.
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
        given = torch.from_numpy(nodes).long()
        first = self.graphs.ptr[self.graphs.batch].cpu()
        return given - first[given]

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
        return replace(self, scores=_searched(self, first, second))

    def at(self, cells: csr_matrix) -> Candidates:
        """Return these cells as candidates, whatever the values of the table are."""
        cells.sort_indices()
        row, column = (torch.from_numpy(each).long() for each in (rows_of(cells), cells.indices))
        return replace(self, scores=with_data(cells, _scores(self, row, column).numpy()))


def find_candidates(
    left: Graphs,
    right: Graphs,
    h: tuple[Tensor, Tensor],
    similarity: Similarity,
    factor: float = 1.0,
    nearest: int = NEAREST,
) -> Candidates:
    """Return for every node the most similar ones of the other graph of its pair.

    Args:
        left: G1, B graphs.
        right: G2, B graphs.
        h: representations of their nodes `[n1, H]` and `[n2, H]`.
        similarity: of the assignment.
        factor: of the similarity.
        nearest: how many are kept of each node's.
    """
    # Distances are the same from anywhere, and sharpest from the middle.
    middle = h[0].mean(0) if similarity is euclidean else 0.0
    sides = [
        Side(graphs, each, points(each - middle, tie_coordinates(graphs, place), similarity))
        for place, (graphs, each) in enumerate(zip((left, right), h, strict=True))
    ]
    nothing = csr_matrix((left.num_nodes, right.num_nodes))
    empty = Candidates(sides[0], sides[1], similarity, factor, nothing)
    return replace(empty, scores=_searched(empty, nearest=nearest))


def _searched(
    within: Candidates,
    free1: Tensor | None = None,
    free2: Tensor | None = None,
    nearest: int = NEAREST,
) -> csr_matrix:
    """Return the scores of the nearest nodes, pair by pair.

    Where fewer nodes are left, each has more of them: as many in all.
    """
    left, right = within.left, within.right
    rows, columns = [], []
    totals = (left.graphs.sizes + right.graphs.sizes).tolist()
    chosen = zip(left.chosen(free1), right.chosen(free2), totals, strict=True)
    for nodes1, nodes2, total in chosen:
        one, other = left.points[nodes1], right.points[nodes2]
        number = nearest * total // max(1, len(one) + len(other))
        i, j = _cells(nearest_of(one, other, number), nearest_of(other, one, number))
        rows.append(nodes1[i])
        columns.append(nodes2[j])
    row, column = torch.cat(rows), torch.cat(columns)
    shape = len(left.h), len(right.h)
    return _csr(
        _scores(within, row, column),
        column,
        offsets(torch.bincount(row, minlength=shape[0])),
        shape,
    )


def _cells(forward: Tensor, backward: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows and columns of all cells that one side or the other wants, in order of rows."""
    n1, n2 = len(forward), len(backward)
    if n1 == 0 or n2 == 0:
        return forward.new_zeros(0), forward.new_zeros(0)
    i, j = (torch.arange(n, device=forward.device).unsqueeze(1) for n in (n1, n2))
    wanted = torch.cat([(i * n2 + forward).flatten(), (backward * n2 + j).flatten()])
    cell = torch.unique(wanted)
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


def similarity_at(
    h1: Tensor, h2: Tensor, row: Tensor, column: Tensor, similarity: Similarity
) -> Tensor:
    """Return the similarities of some cells `[m]`."""
    of_rows = ROW_BY_ROW[similarity]
    chosen = zip(row.split(ENTRIES_AT_ONCE), column.split(ENTRIES_AT_ONCE), strict=True)
    return torch.cat([h1.new_zeros(0), *(of_rows(h1[i], h2[j]) for i, j in chosen)])


def _scores(within: Candidates, row: Tensor, column: Tensor) -> Tensor:
    device, sides = within.left.h.device, (within.left.h, within.right.h)
    cells = row.to(device), column.to(device)
    return within.factor * similarity_at(*sides, *cells, within.similarity).double().cpu()


def _csr(values: Tensor, column: Tensor, row_ptr: Tensor, shape: tuple[int, int]) -> csr_matrix:
    parts = (each.cpu().numpy() for each in (values.double(), column, row_ptr))
    return csr_matrix(tuple(parts), shape=shape)
