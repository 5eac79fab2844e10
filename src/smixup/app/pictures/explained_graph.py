"""A graph with what its prediction rests on: what speaks for the output is orange, what speaks
against it blue, and the more it matters the stronger the colour.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, layout_of
from smixup.models.explanation import Explanation

EFFECT = LinearSegmentedColormap.from_list("effect", [style.AGAINST, style.NEITHER, style.MOTIF])
DEEP_BLUE = 0.12
"""Up to here on the scale, white is read better than black."""


def draw_explanation(
    adj: Tensor,
    found: Explanation,
    labels: Sequence[str] | None = None,
    title: str = "",
    numbered: Collection[int] = (),
) -> Figure:
    """Draw a graph and what its prediction rests on.

    Args:
        adj: weights `[n, n]`, symmetric.
        found: the explanation of that graph.
        labels: a word for every node, such as the symbol of an atom.
        title: above the picture.
        numbered: nodes whose numbers stand beside them, since words elsewhere speak of them.
    """
    nodes, edges = found.nodes.cpu().numpy(), found.edge_scores.cpu().numpy()
    most, strongest = (
        max(1e-12, float(np.abs(scores).max(initial=0)))
        for scores in (np.concatenate([nodes, edges]), edges)
    )
    places, scale, order = layout_of(adj), Normalize(-most, most), np.abs(edges).argsort()
    with style.styled():
        figure = style.new_figure(5.2, 4.4)
        axes = figure.add_subplot()
        lines = LineCollection(list(places[found.edges.T.cpu().numpy()][order]))
        lines.set(color=EFFECT(scale(edges[order])), zorder=1)
        lines.set(linewidths=1 + 3.5 * np.abs(edges[order]) / strongest)
        axes.add_collection(lines)
        x, y = places.T
        size = 190.0 if labels else 2 * style.NODE_SIZE
        axes.scatter(x, y, s=size, c=EFFECT(scale(nodes)), zorder=2)
        for (a, b), word, shade in zip(places, labels or (), scale(nodes), strict=False):
            ink = "white" if shade < DEEP_BLUE else "black"
            axes.text(a, b, word, ha="center", va="center", color=ink, zorder=3)
        for node in numbered:
            beside = tuple(13 * _freest(places, found.edges, node))
            number = axes.annotate(
                str(node), tuple(places[node]), beside, textcoords="offset points"
            )
            number.set(ha="center", va="center", fontsize=7.0, zorder=4)
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
        axes.set_title(title)
        style.bare(axes)
        colours = ScalarMappable(scale, EFFECT)
        bar = figure.colorbar(colours, ax=axes, shrink=0.7, aspect=28, pad=0.02)
        bar.set_label("how much the output falls without it")
        bar.outline.set_visible(False)
    return figure


def _freest(places: Positions, edges: Tensor, node: int) -> Positions:
    """Return the direction with most room between the edges of a node; upwards if it has none."""
    others = [sum(pair) - node for pair in edges.T.tolist() if node in pair and pair[0] != pair[1]]
    angles = (
        np.sort(np.arctan2(*(places[others] - places[node]).T[::-1])) if others else np.empty(0)
    )
    angle = np.pi / 2
    if len(angles):
        gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
        angle = angles[gaps.argmax()] + gaps.max() / 2
    return np.array([np.cos(angle), np.sin(angle)])
