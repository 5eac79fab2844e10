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

from smixup.analysis.explanation import Explanation
from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, layout_of

AGAINST_TO_FOR = LinearSegmentedColormap.from_list(
    "effect", [style.AGAINST, style.NEITHER, style.MOTIF]
)
SIDE = 4.4
BESIDE = 13.0
"""How far from its node a number stands, in points."""
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
    most = max(1e-12, *(float(np.abs(each).max(initial=0)) for each in (nodes, edges)))
    scale, strength = (
        Normalize(-most, most),
        np.abs(edges) / max(np.abs(edges).max(initial=0), 1e-12),
    )
    places, order = layout_of(adj), strength.argsort()
    with style.styled():
        figure = style.new_figure(SIDE * 1.18, SIDE)
        axes = figure.add_subplot()
        ends = places[found.edges.T.cpu().numpy()]
        colours, widths = AGAINST_TO_FOR(scale(edges[order])), (1 + 3.5 * strength[order]).tolist()
        axes.add_collection(
            LineCollection(list(ends[order]), colors=colours, linewidths=widths, zorder=1)
        )
        size = 190.0 if labels else 2 * style.NODE_SIZE
        x, y = places.T
        axes.scatter(x, y, s=size, c=AGAINST_TO_FOR(scale(nodes)), zorder=2)
        for (a, b), word, shade in zip(places, labels or (), scale(nodes), strict=False):
            ink = "white" if shade < DEEP_BLUE else "black"
            axes.text(a, b, word, ha="center", va="center", color=ink, zorder=3)
        for node in numbered:
            offset = BESIDE * _freest(places, found.edges, node)
            number = axes.annotate(
                str(node), tuple(places[node]), tuple(offset), textcoords="offset points"
            )
            number.set(ha="center", va="center", fontsize=7.0, zorder=4)
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
        axes.set_title(title)
        style.bare(axes)
        colours_to_values = ScalarMappable(scale, AGAINST_TO_FOR)
        bar = figure.colorbar(colours_to_values, ax=axes, shrink=0.7, aspect=28, pad=0.02)
        bar.set_label("how much the output falls without it")
        bar.outline.set_visible(False)
    return figure


def _freest(places: Positions, edges: Tensor, node: int) -> Positions:
    """Return the direction with most room between the edges of a node; upwards if it has none."""
    pairs = [pair for pair in edges.T.tolist() if node in pair and pair[0] != pair[1]]
    x, y = (places[[a + b - node for a, b in pairs]] - places[node]).T if pairs else ([], [])
    angles = np.sort(np.arctan2(y, x))
    angle = np.pi / 2
    if len(angles):
        gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
        angle = angles[gaps.argmax()] + gaps.max() / 2
    return np.array([np.cos(angle), np.sin(angle)])
