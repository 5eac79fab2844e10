"""Ways to align a pair of graphs, between which the page switches: our matcher and what it is
compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.pages.explorer.entries import Entries, dense, short
from smixup.app.pictures.heat_map import matched_orders
from smixup.app.pictures.links import links_of
from smixup.app.pictures.method_look import look_of, title_of
from smixup.app.studies.alignment import Alignment
from smixup.app.studies.mixed_pair import LAM, MixedPair
from smixup.app.studies.pair_figures import PairFigures
from smixup.augment.transport import Partial, Transport
from smixup.edits.edit_distance import EditDistance
from smixup.graphs import Graphs, Operator
from smixup.matching import Matcher

SHARE_DIGITS = 3
RANK_DIGITS = 4
MAX_RANKS = 4
TINY = 1e-9
ALIGNED, RANDOM, UNIFORM, PAPER = "aligned", "random", "uniform", "paper"
METHODS = {ALIGNED: "S-Mixup", RANDOM: "random order", UNIFORM: "uniform", PAPER: "paper's cosine"}
"""The names of ways in the address of the page, and what they are called everywhere."""

CONTROLS = ("identity", "random-order", "uniform")
"""Matchers that align nothing: if one of them is asked for, the first button has its name."""


@dataclass(frozen=True)
class WayKind:
    """One position of the switch.

    Attributes:
        name: in the address.
        title: on the button.
        about: who aligned, in a few words.
        colour: that of the method in all pictures.
    """

    name: str
    title: str
    about: str
    colour: str

    @classmethod
    def named(cls, name: str, about: str) -> WayKind:
        """Return a way of `METHODS`."""
        control = title_of(about) if about in CONTROLS else ""
        look = look_of(control or METHODS[name])
        title = "aligned" if name == ALIGNED and not control else look.name
        return cls(name, title, about, look.colour)


Ways = Mapping[str, Matcher]
"""Matchers by a name of `METHODS`, in the order of the switch."""


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
class Way:
    """One alignment of a pair: G2' stands on the nodes of G1, so that the page mixes entry by
    entry.

    Attributes:
        way: its name.
        edges: A2' above the diagonal.
        features: X2'.
        kind: of the alignment: `one-to-one`, `many-to-one` or `soft`.
        links: if it is not soft, pairs of matched nodes, of G1 and of G2: all of M.
        assignment: if it is soft, M row by row.
        matched: of G1 and of G2 `[n]`, which nodes have a counterpart, or a part of one.
        orders: of the nodes of G1 and of G2 along the heat map.
        transport: the way from M to G2'.
        figures: what can be said of it in numbers.
    """

    way: str
    edges: Entries
    features: Entries
    kind: str
    links: list[tuple[int, int]]
    assignment: list[list[float]] | None
    matched: tuple[list[int], list[int]]
    orders: tuple[list[int], list[int]]
    transport: Carried
    figures: PairFigures

    @classmethod
    def along(
        cls,
        way: str,
        M: Operator,
        left: Graphs,
        right: Graphs,
        transport: str | Transport,
        between: EditDistance | None,
    ) -> Way:
        """Carry G2 onto G1 along M (Eq. 4) and measure it; see `PairFigures.of` for `between`."""
        pair = MixedPair.along(M, left, right, LAM, transport)
        alignment, carried = pair.alignment, pair.aligned
        rows = [short(row) for row in dense(alignment.M).round(SHARE_DIGITS)]
        return cls(
            way=way,
            edges=Entries.above(carried.adj.to_dense()),
            features=Entries.of(dense(carried.x)),
            kind=alignment.kind,
            links=[(counterpart, node) for node, counterpart in links_of(alignment)],
            assignment=None if alignment.whole else rows,
            matched=(alignment.matched1.int().tolist(), alignment.matched2.int().tolist()),
            orders=orders(alignment, left.motif, right.motif),
            transport=Carried.by(pair.transport),
            figures=PairFigures.of(M, pair, between),
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
    share = dense(alignment.M)
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


def _flags(motif: Tensor | None, number: int) -> NDArray[np.int64]:
    return (
        np.zeros(number, dtype=np.int64) if motif is None else motif.cpu().numpy().astype(np.int64)
    )
