"""One weighted graph on given positions (Fig. 2): motif nodes red, base nodes blue, the heavier an
edge the stronger. Nodes of G1 without counterpart are hollow, nodes of G2 that find no place pale.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, flags
from smixup.app.studies.alignment import Alignment

Colours = NDArray[np.float64]
FAINTEST = 0.02
SHOWN_WEIGHTS = (1.0, 0.25)
HEAVY, WIDER = 1.05, 0.8
RING = 1.3
PALE = 0.3
RISE = 0.6
"""How opaque an edge is rises with this power of its weight, so that light ones are seen on dark
pages, too.
"""


def draw_graph(
    axes: Axes,
    adj: Tensor,
    positions: Positions,
    motif: Tensor | None = None,
    title: str = "",
    colours: Colours | None = None,
    hollow: Tensor | None = None,
    pale: Tensor | None = None,
) -> None:
    """Draw a graph.

    Args:
        axes: where.
        adj: weights `[n, n]`, symmetric; an edge of weight 1 or more is opaque, and the wider
            the heavier it is.
        positions: of the nodes, `[n, 2]`.
        motif: `[n]`, which nodes to draw in red.
        title: above the picture.
        colours: of the nodes `[n, 3]`, instead of red and blue.
        hollow: `[n]`, which nodes to draw as rings.
        pale: `[n]`, which nodes to draw faintly, with their edges.
    """
    rings, faint = (flags(each, len(positions)) for each in (hollow, pale))
    weights = np.triu(adj.detach().cpu().numpy(), 1)
    source, target = np.nonzero(weights > FAINTEST)
    heavy = weights[source, target]
    heavy = np.where(faint[source] | faint[target], PALE * np.clip(heavy, 0, 1), heavy)
    order = heavy.argsort(kind="stable")
    lines = np.stack([positions[source], positions[target]], 1)[order]
    axes.add_collection(
        LineCollection(
            list(lines),
            colors=style.EDGE,
            alpha=np.clip(heavy[order], 0, 1) ** RISE if len(order) else None,
            linewidths=[edge_width(each) for each in heavy[order].tolist()],
            zorder=1,
        )
    )
    x, y = positions.T
    drawn_in = to_rgba_array(node_colours(len(positions), motif) if colours is None else colours)
    drawn_in[faint, 3] = PALE**RISE
    axes.scatter(
        x,
        y,
        s=np.where(rings, _ring_size(), style.NODE_SIZE),
        c=np.where(rings[:, None], to_rgba_array(style.HOLLOW), drawn_in),
        edgecolors=[tuple(each) for each in drawn_in],
        linewidths=np.where(rings, RING, 0.0).tolist(),
        zorder=2,
    )
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.set_title(title)
    style.bare(axes)


def node_colours(number: int, motif: Tensor | None) -> list[str]:
    """Return the colour of every node."""
    marked = [False] * number if motif is None else motif.bool().tolist()
    return [style.MOTIF if each else style.BASE for each in marked]


def node_kinds() -> list[Line2D]:
    """Return what a legend shows of the two colours."""
    return [
        Line2D([], [], marker="o", linestyle="", color=colour, label=label)
        for colour, label in ((style.MOTIF, "motif node"), (style.BASE, "base node"))
    ]


def alone_kinds(alignment: Alignment) -> list[Line2D]:
    """Return what a legend shows of nodes that an alignment leaves alone, as far as there are
    any.
    """
    ring = Line2D([], [], marker="o", linestyle="", label="no counterpart in G2")
    ring.set(markerfacecolor=style.HOLLOW, markeredgecolor=style.INK, markeredgewidth=RING)
    disc = Line2D([], [], marker="o", linestyle="", label="no place in G1: dropped")
    disc.set(color=style.INK, alpha=PALE**RISE)
    kinds = (alignment.matched1, ring), (alignment.matched2, disc)
    return [shown for matched, shown in kinds if not matched.all()]


def edge_kinds(*drawn: Tensor) -> list[Line2D]:
    """Return what a legend shows of the weights of edges; of the heaviest, too, if it is heavier
    than 1.

    Args:
        drawn: adjacencies of the graphs in the picture.
    """
    heaviest = max((float(adj.max()) for adj in drawn if adj.numel()), default=1.0)
    beyond = (heaviest,) if heaviest > HEAVY else ()
    return [
        Line2D(
            [],
            [],
            color=style.EDGE,
            alpha=min(weight, 1) ** RISE,
            linewidth=edge_width(weight),
            label=f"edge of weight {weight:.3g}",
        )
        for weight in (*beyond, *SHOWN_WEIGHTS)
    ]


def _ring_size() -> float:
    """Return the size of a disc that is as large as the others once its ring is around it."""
    return float((style.NODE_SIZE**0.5 - RING) ** 2)


def edge_width(weight: float) -> float:
    """Return how wide an edge is drawn: beyond weight 1 by as much again for every doubling."""
    if weight <= 1:
        return style.EDGE_WIDTH * (0.4 + 0.6 * weight)
    return style.EDGE_WIDTH * (1 + WIDER * math.log2(weight))
