"""Fig. 1: a pair of graphs, their assignment, the second carried onto the first, and the mix, drawn
from real graphs.

Nodes of G1 take colours along the longer side of its drawing; a node of G2 has the mean colour of
the nodes it is assigned to. So nodes that correspond look alike, and a node that is spread over
many fades. Where nodes are matched as a whole, links join them; nodes of G1 without counterpart are
hollow, nodes of G2 that find no place are pale and grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import (
    SHOWN_WEIGHTS,
    Colours,
    alone_kinds,
    draw_graph,
    edge_kinds,
)
from smixup.app.pictures.heat_map import STRIP, STRIP_FROM, Order, draw_cells
from smixup.app.pictures.layouts import Positions, layout_of, turned
from smixup.app.pictures.links import draw_links, link_kinds
from smixup.app.studies.alignment import Alignment
from smixup.app.studies.mixed_pair import MixedPair

Matrix = NDArray[np.float64]

ON_COLOUR = "#16191d"
LEAST_WRITTEN = 0.12
RAINBOW = "turbo"
ARROW = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 1.4, "mutation_scale": 14}
ENDS = (0.12, 0.9)


def draw_overview(pair: MixedPair, names: Sequence[str]) -> Figure:
    """Draw G1 and G2 at the left, M between, G2' and the mix at the right, with their targets as
    bars.

    Args:
        pair: what to draw.
        names: of the classes.
    """
    M: Matrix = pair.assignment.detach().cpu().double().numpy()
    alignment = pair.alignment
    alone, lost = ~alignment.matched1, ~alignment.matched2
    places1 = lying(layout_of(pair.left.adj.to_dense()))
    places2 = turned(
        layout_of(pair.right.adj.to_dense()), carried_back(M, places1), alignment.matched2
    )
    colours1 = colours_along(places1)
    colours2 = np.clip(carried_back(M, colours1), 0, 1)
    colours2[lost.cpu().numpy()] = to_rgb(style.PALETTE[0])
    shown = pair.left, pair.right, pair.aligned, pair.mixed
    with style.styled():
        figure, axes = _new_panels()
        for name, graph, places, colours, hollow, pale in (
            ("G1", pair.left, places1, colours1, alone, None),
            ("G2", pair.right, places2, colours2, None, lost),
            ("aligned", pair.aligned, places1, colours1, alone, None),
            ("mix", pair.mixed, places1, colours1, alone, None),
        ):
            adj = graph.adj.to_dense()
            draw_graph(axes[name], adj, places, colours=colours, hollow=hollow, pale=pale)
        for name, graph in (("y1", pair.left), ("y2", pair.right), ("y", pair.mixed)):
            draw_target(axes[name], graph.y[0], names)
        axes["y1"].set_title("G1")
        axes["y2"].set_xlabel("G2", fontsize=axes["y1"].title.get_fontsize())
        axes["aligned"].set_title("G2', G2 on the nodes of G1")
        axes["mix"].set_title(f"mix of G1 and G2', λ = {pair.lam:.2f}")
        draw_matrix(axes["M"], M, from_left(places1), colours1, colours2)
        axes["M"].set_title(f"{alignment.kind} assignment M")
        draw_links(axes["G1"], places1, axes["G2"], places2, alignment)
        kinds = [
            *edge_kinds(*(each.adj.to_dense() for each in shown)),
            *_shares(alignment),
            *link_kinds(alignment),
        ]
        kinds += alone_kinds(alignment)
        figure.legend(handles=kinds, loc="outside lower center", ncols=4)
        _draw_arrows(axes)
    return figure


def _shares(alignment: Alignment) -> list[Patch]:
    """Return what a legend shows of the entries of M."""
    shown = SHOWN_WEIGHTS[:1] if alignment.whole else SHOWN_WEIGHTS
    return [Patch(facecolor=style.MASS(share), label=f"M = {share:g}") for share in shown]


def carried_back(M: Matrix, values: Matrix) -> Matrix:
    """Return for every node of G2 the mean of what the nodes of G1 have to which it goes
    `[n2, d]`; zero if it goes nowhere.
    """
    total, found = M.sum(0)[:, None], np.zeros((M.shape[1], values.shape[1]))
    np.divide(M.T @ values, total, out=found, where=total > 0)
    return found


def _new_panels() -> tuple[Figure, dict[str, Axes]]:
    """Lay out the panels: G1 and G2 have nothing between them that links would cross."""
    figure = style.new_figure(9.0, 5.2)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(wspace=0.16)
    axes = figure.subplot_mosaic(
        [
            ["y1", "M", "aligned"],
            ["G1", "M", "aligned"],
            ["G1", "M", "gap"],
            ["G2", "M", "mix"],
            ["y2", "M", "y"],
        ],
        height_ratios=[1, 9, 1, 10, 1],
        width_ratios=[1, 0.8, 1],
    )
    style.bare(axes["gap"])
    return figure, axes


def colours_along(places: Positions) -> Colours:
    """Return a colour for every node `[n, 3]`, in their order from left to right."""
    rank = from_left(places).argsort()
    along = ENDS[0] + (ENDS[1] - ENDS[0]) * rank / max(len(rank) - 1, 1)
    found: Colours = mpl.colormaps[RAINBOW](along)[:, :3]
    return found


def from_left(places: Positions) -> Order:
    """Return the nodes in their order from left to right."""
    found: Order = places[:, 0].argsort(kind="stable")
    return found


def lying(places: Positions) -> Positions:
    """Turn a layout so that it is wider than high, with the more crowded side at the left."""
    centred = places - places.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned_places: Positions = centred @ axes.T
    side = 1 if np.median(turned_places[:, 0]) <= 0 else -1
    return side * turned_places


def draw_target(axes: Axes, y: Tensor, names: Sequence[str]) -> None:
    """Draw a target as a bar whose parts are the classes."""
    start = 0.0
    for place, share in enumerate(y.tolist()):
        colour = style.PALETTE[1 + place % (len(style.PALETTE) - 1)]
        axes.barh(0, share, left=start, height=1, color=colour)
        if share >= LEAST_WRITTEN:
            text = names[place] if share == 1 else f"{share:.2f} {names[place]}"
            axes.text(
                start + share / 2, 0, text, ha="center", va="center", color=ON_COLOUR, clip_on=True
            )
        start += share
    axes.set_xlim(-0.15, 1.15)
    axes.set_ylim(-0.5, 0.5)
    style.bare(axes)


def draw_matrix(axes: Axes, M: Matrix, rows: Order, colours1: Colours, colours2: Colours) -> None:
    """Draw M with the colours of the nodes along its sides; nodes of G2 stand in the order of where
    they go.
    """
    column_sums = M.sum(0)
    places = np.full(M.shape[1], np.inf)  # what goes nowhere comes last
    np.divide(rows.argsort() @ M, column_sums, out=places, where=column_sums > 0)
    columns = places.argsort(kind="stable")
    draw_cells(axes, M, rows, columns, colours1, colours2)
    strip = -STRIP_FROM - STRIP / 2
    axes.text(strip, 1.012, "G1", transform=axes.transAxes, ha="center", va="bottom")
    axes.text(-STRIP_FROM, strip, "G2 ", transform=axes.transAxes, ha="right", va="center")


def _draw_arrows(axes: Mapping[str, Axes]) -> None:
    """Lead the eye from the pair to M, from M to G2', and from there down to the mix."""
    for start, begin, end, finish in (
        ("G1", (1.03, 0.45), "M", (-0.14, 0.75)),
        ("G2", (1.03, 0.45), "M", (-0.14, 0.25)),
        ("M", (1.04, 0.75), "aligned", (-0.03, 0.45)),
        ("gap", (0.5, 1.2), "gap", (0.5, -0.4)),
    ):
        axes[start].annotate(
            "",
            xy=finish,
            xycoords=axes[end].transAxes,
            xytext=begin,
            textcoords=axes[start].transAxes,
            arrowprops=ARROW,
            annotation_clip=False,
        ).set_in_layout(False)
