"""Layouts of graphs that fall apart: every component by itself, then side by side."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from torch import Tensor

from smixup.app.pictures.graph_drawing import layout_of
from smixup.app.pictures.motif_layout import unit_edges
from smixup.app.pictures.planar import Positions, edges_of

GAP = 1.0
ROOM = 1.2


def spread_layout(adj: Tensor, motif: Tensor | None = None) -> Positions:
    """Return a place for every node `[n, 2]`: components do not overlap, and edges of all are about
    equally long.

    Args:
        adj: weights `[n, n]`, symmetric.
        motif: `[n]`, which nodes are of the motif, if that is known.
    """
    graph = nx.from_numpy_array(adj.numpy())
    parts = sorted(
        (sorted(part) for part in nx.connected_components(graph)),
        key=lambda part: (-len(part), part),
    )
    if len(parts) < 2:
        return _part_layout(adj, motif, list(range(len(adj))))
    inner = [_part_layout(adj, motif, part) for part in parts]
    places = np.zeros((len(adj), 2))
    for part, own, corner in zip(parts, inner, shelves([_size(own) for own in inner]), strict=True):
        places[part] = own - own.min(0) + corner
    return places


def shelves(sizes: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the lower left corners of boxes put side by side on shelves, one above the other,
    about as wide as high.

    Args:
        sizes: width and height of every box, in the order in which they are put down.
    """
    area = sum((width + GAP) * (height + GAP) for width, height in sizes)
    limit = max(ROOM * area**0.5, *(width for width, _ in sizes))
    corners, x, y, tallest = [], 0.0, 0.0, 0.0
    for width, height in sizes:
        if x > 0 and x + width > limit:
            x, y, tallest = 0.0, y + tallest + GAP, 0.0
        corners.append((x, y))
        x, tallest = x + width + GAP, max(tallest, height)
    return corners


def _part_layout(adj: Tensor, motif: Tensor | None, part: list[int]) -> Positions:
    own = adj[part][:, part]
    places = layout_of(own, None if motif is None else motif[part])
    return unit_edges(places, edges_of(nx.from_numpy_array(own.numpy())))


def _size(places: Positions) -> tuple[float, float]:
    width, height = places.max(0) - places.min(0)
    return float(width), float(height)
