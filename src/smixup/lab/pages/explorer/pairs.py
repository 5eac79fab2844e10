"""What the explorer's page knows of one pair of graphs: all that Eq. (5) needs at any lambda, and
where to draw it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.augment.transport import Partial, Transport
from smixup.graphs import Graphs
from smixup.lab.figures.graph_drawing import Positions, turned
from smixup.lab.figures.heat_map import matched_orders
from smixup.lab.figures.links import links_of
from smixup.lab.pages.explorer.layout import spread_layout
from smixup.lab.studies.alignment import Alignment
from smixup.lab.studies.explained import Explained
from smixup.lab.studies.mixed_pair import TRANSPORT, MixedPair
from smixup.lab.studies.node_words import symbols_of
from smixup.lab.studies.pair_source import require_drawable
from smixup.matching import Matcher

WEIGHT_DIGITS = 4
SHARE_DIGITS = 3
PLACE_DIGITS = 3
RANK_DIGITS = 4
MAX_RANKS = 4
TINY = 1e-9

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Entries:
    """Matrices of one shape, as a list of the places where any of them is not zero.

    Attributes:
        row, column: of every entry.
        values: for each matrix, its numbers at these places.
    """

    row: list[int]
    column: list[int]
    values: list[list[float]]

    @classmethod
    def of(cls, *matrices: Matrix) -> Entries:
        """Round the matrices and list what is left of them."""
        rounded = np.stack(matrices).round(WEIGHT_DIGITS)
        row, column = np.nonzero((rounded != 0).any(0))
        return cls(row.tolist(), column.tolist(), [_short(each[row, column]) for each in rounded])


@dataclass(frozen=True)
class Side:
    """One graph of a pair.

    Attributes:
        graph: its position in the dataset.
        places: two numbers between -1 and 1 for every node `[n][2]`.
        y: its target `[C]`.
        motif: `[n]`, which nodes matter, where the data has it.
        order: of its nodes along the heat map.
        matched: `[n]`, which nodes have a counterpart in the other graph, or a part of one.
        symbols: `[n]`, of its atoms, if it is a molecule.
        importance: `[n]`, by how much a model's output falls without each node, if one is given and
            there are two nodes at least.
        predicted: what that model says of the graph.
    """

    graph: int
    places: list[list[float]]
    y: list[float]
    motif: list[int] | None
    order: list[int]
    matched: list[int]
    symbols: list[str] | None = None
    importance: list[float] | None = None
    predicted: str = ""


@dataclass(frozen=True)
class Carried:
    """How G2' was made, as far as the page has to say it.

    Attributes:
        name: of the transport.
        keeps_features: a node without counterpart has its own features in G2'.
        keeps_edges: its edges, too.
    """

    name: str
    keeps_features: bool
    keeps_edges: bool

    @classmethod
    def by(cls, transport: Transport) -> Carried:
        """Describe a transport."""
        partial = isinstance(transport, Partial)
        return cls(transport.name, partial, isinstance(transport, Partial) and transport.edges)


@dataclass(frozen=True)
class ExplorerPair:
    """A pair: G1 and G2' share the nodes of G1, so that the page mixes them entry by entry.

    Attributes:
        left, right: G1 and G2.
        edges: A1 and A2' above the diagonal; datasets are undirected.
        features: X1 and X2'.
        right_edges: A2 above the diagonal.
        right_features: X2.
        assignment: M, row by row.
        kind: of the alignment: `one-to-one`, `many-to-one` or `soft`.
        links: if it is not soft, pairs of matched nodes, of G1 and of G2.
        transport: the way from M to G2'.
    """

    left: Side
    right: Side
    edges: Entries
    features: Entries
    right_edges: Entries
    right_features: Entries
    assignment: list[list[float]]
    kind: str
    links: list[tuple[int, int]]
    transport: Carried

    @classmethod
    def of(
        cls,
        matcher: Matcher,
        left: Graphs,
        right: Graphs,
        transport: str | Transport = TRANSPORT,
        explain: Callable[[int], Explained] | None = None,
    ) -> ExplorerPair:
        """Match two graphs, each given as a batch of one, and carry the second onto the first (Eq.
        4); `explain` tells what a model's prediction for a graph rests on, by its position.
        """
        for batch in (left, right):
            require_drawable(batch.num_nodes, f"graph {int(batch.ids[0])}")
        pair = MixedPair.of(matcher, left, right, transport=transport)
        share, carried, alignment = _dense(pair.assignment), pair.aligned, pair.alignment
        adj1, adj2, adj = (_dense(each.adj.to_dense()) for each in (left, right, carried))
        places1 = framed(spread_layout(torch.from_numpy(adj1)))
        layout2 = spread_layout(torch.from_numpy(adj2))
        places2 = framed(turned(layout2, share.T @ places1, alignment.matched2))
        rows, columns = orders(alignment, left.motif, right.motif)
        return cls(
            left=_side(left, places1, rows, alignment.matched1, explain),
            right=_side(right, places2, columns, alignment.matched2, explain),
            edges=Entries.of(np.triu(adj1, 1), np.triu(adj, 1)),
            features=Entries.of(_dense(left.x), _dense(carried.x)),
            right_edges=Entries.of(np.triu(adj2, 1)),
            right_features=Entries.of(_dense(right.x)),
            assignment=[_short(row) for row in share.round(SHARE_DIGITS)],
            kind=alignment.kind,
            links=[(counterpart, node) for node, counterpart in links_of(alignment)],
            transport=Carried.by(pair.transport),
        )


def orders(
    alignment: Alignment, motif1: Tensor | None, motif2: Tensor | None
) -> tuple[list[int], list[int]]:
    """Return an order of rows and one of columns in which mass lies near the diagonal; motif nodes
    come last.

    Where nodes are matched as a whole, counterparts have like ranks. Otherwise the orders are those
    of the second singular vectors of M, rows and columns weighted by their mass (correspondence
    analysis): what goes to each other has like ranks. Further vectors decide where these do not, as
    between groups of nodes that have nothing to do with each other.

    Args:
        alignment: M.
        motif1, motif2: ground truth, where the data has it.
    """
    if alignment.whole:
        rows, columns = matched_orders(alignment, motif1, motif2)
        return rows.tolist(), columns.tolist()
    share = _dense(alignment.M)
    n1, n2 = share.shape
    scale1, scale2 = (1 / np.sqrt(np.maximum(share.sum(axis), TINY)) for axis in (1, 0))
    left, _, right = np.linalg.svd(scale1[:, None] * share * scale2)
    kept = slice(1, 1 + min(MAX_RANKS, n1 - 1, n2 - 1))
    ranks1, ranks2 = (
        (scale1 * left.T[kept]).round(RANK_DIGITS),
        (scale2 * right[kept]).round(RANK_DIGITS),
    )
    rows = np.lexsort((*ranks1[::-1], _flags(motif1, n1)))
    columns = np.lexsort((*ranks2[::-1], _flags(motif2, n2)))
    return rows.tolist(), columns.tolist()


def framed(places: Positions) -> Positions:
    """Move and scale a layout so that it fills the square from -1 to 1, without changing its
    shape.
    """
    if len(places) == 0:
        return places
    low, high = places.min(0), places.max(0)
    size = float((high - low).max()) or 1.0
    found: Positions = (2 * places - low - high) / size
    return found


def _side(
    batch: Graphs,
    places: Positions,
    order: list[int],
    matched: Tensor,
    explain: Callable[[int], Explained] | None,
) -> Side:
    place, symbols = int(batch.ids[0]), symbols_of(batch.x)
    found = None if explain is None or batch.num_nodes < 2 else explain(place)
    return Side(
        graph=place,
        places=[_short(each) for each in places.round(PLACE_DIGITS)],
        y=_short(_dense(batch.y[0])),
        motif=None if batch.motif is None else batch.motif.int().tolist(),
        order=order,
        matched=matched.int().tolist(),
        symbols=None if symbols is None else list(symbols),
        importance=None if found is None else _short(_dense(found.found.nodes).round(SHARE_DIGITS)),
        predicted="" if found is None else found.name,
    )


def _flags(motif: Tensor | None, number: int) -> NDArray[np.int64]:
    return (
        np.zeros(number, dtype=np.int64) if motif is None else motif.cpu().numpy().astype(np.int64)
    )


def _dense(values: Tensor) -> Matrix:
    return values.detach().cpu().numpy().astype(np.float64)


def _short(values: NDArray[np.float64]) -> list[float]:
    """Return numbers that JSON writes shortly: whole ones without a point."""
    return [int(value) if value == int(value) else value for value in values.tolist()]
