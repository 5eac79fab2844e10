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
from numpy.typing import NDArray
from torch import Tensor

from smixup.analysis.explanation import Explanation
from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions, layout_of

AGAINST_TO_FOR = LinearSegmentedColormap.from_list(
    "effect", [style.AGAINST, style.NEITHER, style.MOTIF]
)
THINNEST, WIDEST = 1.0, 4.5
LABELLED_SIZE = 190.0
SIDE = 4.4
BESIDE, SMALL = 13.0, 7.0
"""How far from its node a number stands, and how large it is, in points."""
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
    nodes, edges = (_numbers(each) for each in (found.nodes, found.edge_scores))
    scale = Normalize(*_range(nodes, edges))
    with style.styled():
        figure = style.new_figure(SIDE * 1.18, SIDE)
        axes = figure.add_subplot()
        places = layout_of(adj)
        ends = places[found.edges.T.cpu().numpy()]
        strength = np.abs(edges) / max(float(np.abs(edges).max(initial=0)), 1e-12)
        order = strength.argsort()
        axes.add_collection(
            LineCollection(
                list(ends[order]),
                colors=AGAINST_TO_FOR(scale(edges[order])),
                linewidths=(THINNEST + (WIDEST - THINNEST) * strength[order]).tolist(),
                zorder=1,
            )
        )
        size = LABELLED_SIZE if labels else 2 * style.NODE_SIZE
        x, y = places.T
        axes.scatter(x, y, s=size, c=AGAINST_TO_FOR(scale(nodes)), zorder=2)
        for (a, b), word, number in zip(places, labels or (), nodes, strict=False):
            axes.text(a, b, word, ha="center", va="center", color=_ink(scale(number)), zorder=3)
        for node in numbered:
            angle = _widest(_ways(places, found.edges, node))
            axes.annotate(
                str(node),
                places[node],
                (BESIDE * np.cos(angle), BESIDE * np.sin(angle)),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=SMALL,
                zorder=4,
            )
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
        axes.set_title(title)
        style.bare(axes)
        bar = figure.colorbar(
            ScalarMappable(scale, AGAINST_TO_FOR), ax=axes, shrink=0.7, aspect=28, pad=0.02
        )
        bar.set_label("how much the output falls without it")
        bar.outline.set_visible(False)
    return figure


def _numbers(scores: Tensor) -> NDArray[np.float64]:
    return scores.detach().cpu().numpy().astype(np.float64)


def _range(*scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return a range around zero that holds all numbers."""
    furthest = max((float(np.abs(each).max(initial=0)) for each in scores), default=0.0)
    return -max(furthest, 1e-12), max(furthest, 1e-12)


def _ways(places: Positions, edges: Tensor, node: int) -> NDArray[np.float64]:
    """Return the angles at which the edges of a node leave it, in their order."""
    pairs = edges.T.tolist()
    others = [b if a == node else a for a, b in pairs if node in (a, b) and a != b]
    x, y = (places[others] - places[node]).T
    return np.sort(np.arctan2(y, x))


def _widest(angles: NDArray[np.float64]) -> float:
    """Return the middle of the widest gap between angles, going round; upwards if there are
    none.
    """
    if not len(angles):
        return np.pi / 2
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    place = int(gaps.argmax())
    return float(angles[place] + gaps[place] / 2)


def _ink(shade: float) -> str:
    """Return a colour that is read on a node of that shade, from 0, blue, to 1, orange."""
    return "white" if float(shade) < DEEP_BLUE else "black"
