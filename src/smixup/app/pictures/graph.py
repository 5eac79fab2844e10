"""One weighted graph on given positions: as part of a mix (Fig. 2), motif nodes red and base nodes
blue; or with what its prediction rests on, orange what speaks for the output and blue against it.
The heavier an edge, or the more something matters, the stronger it is drawn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, flags, layout_of

if TYPE_CHECKING:
    from smixup.app.explain import Explained
    from smixup.app.pictures.mixed_pair import Alignment

FAINTEST, PALE, RING = 0.02, 0.3, 1.3
SHORT = 3  # letters of a word that fits into a drawn node
RISE = 0.6  # of an edge's opacity with its weight, so that light ones are seen on dark pages, too
EFFECT = LinearSegmentedColormap.from_list("effect", [style.AGAINST, style.NEITHER, style.MOTIF])
DEEP_BLUE = 0.12  # up to here on the scale, white is read better than black


def draw_graph(
    axes: Axes,
    adj: Tensor,
    positions: Positions,
    motif: Tensor | None = None,
    title: str = "",
    hollow: Tensor | None = None,
    pale: Tensor | None = None,
) -> None:
    """Draw a graph of symmetric weights `[n, n]` on positions `[n, 2]`; nodes may be marked `[n]`
    as red, as rings, or as pale along with their edges.
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
    style.bare(axes, title)


def edge_width(weight: float) -> float:
    """Return how wide an edge is drawn: beyond weight 1 by as much again for every doubling."""
    wide = 0.4 + 0.6 * weight if weight <= 1 else 1 + 0.8 * math.log2(weight)
    return style.EDGE_WIDTH * wide


def draw_links(
    first: Axes, places1: Positions, second: Axes, places2: Positions, alignment: Alignment
) -> None:
    """Draw lines between matched nodes of two graphs side by side; none if matches are soft."""
    figure = first.get_figure(root=True)
    assert figure is not None
    for row, column in alignment.links:
        ends = tuple(places1[row]), tuple(places2[column])
        link = ConnectionPatch(*ends, "data", "data", axesA=first, axesB=second)
        link.set(color=style.LINK, linewidth=0.9, alpha=0.8, in_layout=False, zorder=-1)
        figure.add_artist(link)


def legend_of(alignment: Alignment, motif_known: bool) -> list[Line2D]:
    """Return what a legend shows of nodes and of their alignment, as far as it occurs."""
    ring = {"markerfacecolor": style.HOLLOW, "markeredgecolor": style.INK}
    dropped = not alignment.matched2.all()
    kinds = (
        (motif_known, "motif node", {"color": style.MOTIF}),
        (motif_known, "base node", {"color": style.BASE}),
        (bool(alignment.links), "matched nodes", {"color": style.LINK, "linewidth": 0.9}),
        (not alignment.matched1.all(), "no counterpart in G2", ring),
        (dropped, "no place in G1: dropped", {"color": style.INK, "alpha": PALE**RISE}),
    )
    lines = []
    for label, look in ((label, look) for shown, label, look in kinds if shown):
        lines.append(Line2D([], [], label=label))
        lines[-1].set(**({} if "linewidth" in look else {"marker": "o", "linestyle": ""}), **look)
    return lines


def draw_explanation(explained: Explained, title: str = "", number: int = 0) -> Figure:
    """Draw a graph and what its prediction rests on. Labels stand in the nodes if all are short,
    and so many of the strongest nodes are numbered beside; else numbers do.
    """
    found, numbers = explained.explanation, tuple(map(str, range(len(explained.labels))))
    labels = explained.labels if max(map(len, explained.labels)) <= SHORT else numbers
    nodes, edges = found.nodes.cpu().numpy(), found.edge_scores.cpu().numpy()
    strongest = max(1e-12, float(np.abs(edges).max(initial=0)))
    most = max(strongest, float(np.abs(nodes).max(initial=0)))
    places, scale = layout_of(explained.adj), Normalize(-most, most)
    order = np.abs(edges).argsort()
    with style.styled():
        figure = style.new_figure(5.2, 4.4)
        axes = figure.add_subplot()
        lines = LineCollection(list(places[found.edges.T.cpu().numpy()][order]))
        lines.set(color=EFFECT(scale(edges[order])), zorder=1)
        lines.set(linewidths=1 + 3.5 * np.abs(edges[order]) / strongest)
        axes.add_collection(lines)
        x, y = places.T
        axes.scatter(x, y, s=190.0, c=EFFECT(scale(nodes)), zorder=2)
        for (a, b), word, shade in zip(places, labels, scale(nodes), strict=True):
            ink = "white" if shade < DEEP_BLUE else "black"
            axes.text(a, b, word, ha="center", va="center", color=ink, zorder=3)
        for node in explained.strongest(number if labels != numbers else 0):
            away = places[node] - places.mean(0)
            beside = tuple(13 * away / max(float(np.linalg.norm(away)), 1e-9))
            at = tuple(places[node])
            text = axes.annotate(str(node), at, beside, textcoords="offset points")
            text.set(ha="center", va="center", fontsize=7.0, zorder=4)
        style.bare(axes, title)
        colours = ScalarMappable(scale, EFFECT)
        bar = figure.colorbar(colours, ax=axes, shrink=0.7, aspect=28, pad=0.02)
        bar.set_label("how much the output falls without it")
        bar.outline.set_visible(False)
    return figure
