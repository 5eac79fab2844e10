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
from matplotlib.patches import ConnectionPatch
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, flags
from smixup.app.pictures.pair import Alignment

FAINTEST, PALE, RING = 0.02, 0.3, 1.3
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
        hollow: `[n]`, which nodes to draw as rings.
        pale: `[n]`, which nodes to draw faintly, with their edges.
    """
    rings, faint, red = (flags(each, len(positions)) for each in (hollow, pale, motif))
    weights = np.triu(adj.detach().cpu().numpy(), 1)
    source, target = np.nonzero(weights > FAINTEST)
    weight = weights[source, target]
    weight = np.where(faint[source] | faint[target], PALE * np.clip(weight, 0, 1), weight)
    order = weight.argsort(kind="stable")  # light first, so that heavy edges lie above
    lines = LineCollection(list(np.stack([positions[source], positions[target]], 1)[order]))
    lines.set(color=style.EDGE, alpha=np.clip(weight[order], 0, 1) ** RISE if len(order) else None)
    lines.set(linewidths=[edge_width(each) for each in weight[order].tolist()], zorder=1)
    axes.add_collection(lines)
    colours = to_rgba_array(np.where(red, style.MOTIF, style.BASE).tolist())
    colours[faint, 3] = PALE**RISE
    x, y = positions.T
    nodes = axes.scatter(x, y, s=np.where(rings, style.NODE_SIZE - 10 * RING, style.NODE_SIZE))
    nodes.set(facecolors=np.where(rings[:, None], to_rgba_array(style.HOLLOW), colours))
    nodes.set(edgecolors=colours, linewidths=np.where(rings, RING, 0.0), zorder=2)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.set_title(title)
    style.bare(axes)


def edge_width(weight: float) -> float:
    """Return how wide an edge is drawn: beyond weight 1 by as much again for every doubling."""
    wide = 0.4 + 0.6 * weight if weight <= 1 else 1 + 0.8 * math.log2(weight)
    return style.EDGE_WIDTH * wide


def draw_links(
    first: Axes, places1: Positions, second: Axes, places2: Positions, alignment: Alignment
) -> None:
    """Draw a line between matched nodes of two graphs that are drawn side by side, behind both;
    none if the alignment is soft.
    """
    figure = first.get_figure(root=True)
    assert figure is not None
    for row, column in alignment.links:
        ends = tuple(places1[row]), tuple(places2[column])
        link = ConnectionPatch(*ends, "data", "data", axesA=first, axesB=second)
        link.set(color=style.LINK, linewidth=0.9, alpha=0.8, in_layout=False, zorder=-1)
        figure.add_artist(link)


def legend_of(alignment: Alignment, motif_known: bool) -> list[Line2D]:
    """Return what a legend shows of nodes and of their alignment, as far as it occurs."""
    kinds = (
        (motif_known, "motif node", {"color": style.MOTIF}),
        (motif_known, "base node", {"color": style.BASE}),
        (bool(alignment.links), "matched nodes", {"color": style.LINK, "linewidth": 0.9}),
        (
            not alignment.matched1.all(),
            "no counterpart in G2",
            {"markerfacecolor": style.HOLLOW, "markeredgecolor": style.INK},
        ),
        (
            not alignment.matched2.all(),
            "no place in G1: dropped",
            {"color": style.INK, "alpha": PALE**RISE},
        ),
    )
    lines = []
    for shown, label, look in kinds:
        if shown:
            line = Line2D([], [], label=label)
            dot = {} if "linewidth" in look else {"marker": "o", "linestyle": ""}
            line.set(**dot, **look)
            lines.append(line)
    return lines
