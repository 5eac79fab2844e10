"""What the explorer's page knows of one pair of graphs: all that Eq. (5) needs at any lambda and
along several alignments, and where to draw it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.explain import symbols_of
from smixup.app.pictures.layouts import Positions, flags, pair_layouts
from smixup.app.pictures.mixed_pair import LAM, Alignment, MixedPair
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Matcher
from smixup.matching.controls import motif_kept

SMALLEST = 0.5
"""The smaller of two graphs fills such a part of its frame at least, even if its edges are then
longer than those of the other.
"""
Numbers = NDArray[np.float64]


def pair_data(
    matchers: Mapping[str, Matcher], left: Graphs, right: Graphs, dataset: str = ""
) -> dict[str, Any]:
    """Return two graphs of a dataset and their alignments, ready for JSON."""
    alignments = {name: matcher(left, right) for name, matcher in matchers.items()}
    first = Alignment(next(iter(alignments.values())).to_dense())
    places1, places2 = framed(*pair_layouts(left, right, first))
    return {
        "left": _side(left, places1, dataset),
        "right": _side(right, places2, dataset),
        "ways": [_way(M, left, right) for M in alignments.values()],
    }


def framed(places1: Positions, places2: Positions) -> tuple[Positions, Positions]:
    """Move and scale two layouts into the square from -1 to 1, without changing their shapes: the
    larger fills it, and edges of both are drawn alike, unless the other would be too small.
    """
    corners = [(p.min(0), p.max(0)) if len(p) else (np.zeros(2),) * 2 for p in (places1, places2)]
    extents = [float((high - low).max()) or 1.0 for low, high in corners]
    scales = [max(1 / max(extents), SMALLEST / extent) for extent in extents]
    (low1, high1), (low2, high2) = corners
    return scales[0] * (2 * places1 - low1 - high1), scales[1] * (2 * places2 - low2 - high2)


def _side(batch: Graphs, places: Positions, dataset: str) -> dict[str, Any]:
    """Describe one graph; what is not known of it is null."""
    symbols = symbols_of(batch.x, dataset)
    weights = np.triu(_array(batch.adj.to_dense()), 1)
    row, column = weights.nonzero()
    return {
        "graph": int(batch.ids[0]),
        "places": _short(places, 3),
        "y": _short(_array(batch.y[0]), 4),
        "motif": None if batch.motif is None else batch.motif.int().tolist(),
        "edges": [row.tolist(), column.tolist(), _short(weights[row, column], 4)],
        "kinds": _kinds(batch.x),
        "symbols": None if symbols is None else list(symbols),
    }


def _way(M: SparseOperator, left: Graphs, right: Graphs) -> dict[str, Any]:
    """Describe one alignment: G2' stands on the nodes of G1, so that the page mixes edge by edge.

    Of an edge its ends, its weight in G1 and in G2', and how much of the latter came from G2.
    """
    pair = MixedPair.along(M, left, right, LAM)
    share = _array(pair.assignment)
    own, carried = (_array(graph.adj.to_dense()) for graph in (left, pair.aligned))
    brought = share @ _array(right.adj.to_dense()) @ share.T
    row, column = np.triu((own.round(4) != 0) | (carried.round(4) != 0), 1).nonzero()
    weights = [_short(each[row, column], 4) for each in (own, carried, brought)]
    known = left.motif is not None and right.motif is not None and left.y.equal(right.y)
    return {
        "kind": pair.alignment.kind,
        "share": _short(share, 3),
        "edges": [row.tolist(), column.tolist(), *weights],
        "kinds": _kinds(pair.aligned.x),
        "orders": orders(share, left.motif, right.motif),
        "motif_kept": float(motif_kept(M, left, right)) if known else None,
    }


def orders(share: Numbers, motif1: Tensor | None, motif2: Tensor | None) -> list[list[int]]:
    """Return an order of the nodes of G1 and one of those of G2 in which counterparts have like
    ranks; motif nodes come last, and before them those of G1 without counterpart.
    """
    n1, n2 = share.shape
    rows = np.lexsort((np.arange(n1), share.sum(1) <= 0, flags(motif1, n1)))
    mass = share.sum(0)
    rank = np.where(mass > 0, rows.argsort() @ share / np.maximum(mass, 1e-9), n1)
    return [rows.tolist(), np.lexsort((np.arange(n2), rank, flags(motif2, n2))).tolist()]


def _kinds(x: Tensor) -> list[int]:
    """Return the largest feature of every node, -1 where all are zero."""
    features = _array(x)
    if not features.shape[1]:
        return [-1] * len(features)
    kinds: list[int] = np.where(features.max(1) > 0, features.argmax(1), -1).tolist()
    return kinds


def _array(values: Tensor) -> Numbers:
    return values.detach().cpu().numpy().astype(np.float64)


def _short(values: Numbers, digits: int) -> Any:
    """Return numbers that JSON writes shortly: rounded, whole ones without a point."""
    rounded = values.round(digits).astype(object)
    whole = values.round(digits) == values.round()
    rounded[whole] = values.round()[whole].astype(int)
    return rounded.tolist()
