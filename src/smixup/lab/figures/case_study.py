"""Fig. 2: a pair of one class, mixed in random order and along its alignment, and what is kept of
the motif.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import draw_graph, edge_kinds, layout_of, node_kinds
from smixup.lab.figures.mixed_pair import label_text
from smixup.lab.studies.case_study import CaseStudy, MotifShare
from smixup.lab.studies.match_quality import OURS, PUBLISHED, RANDOM, UNIFORM
from smixup.lab.studies.pair_source import class_names

NAMES = {
    RANDOM: "random order",
    UNIFORM: "uniform",
    PUBLISHED: "paper's (cosine)",
    OURS: "S-Mixup (ours)",
}
COLOURS = {
    RANDOM: style.PALETTE[1],
    UNIFORM: style.PALETTE[4],
    PUBLISHED: style.PALETTE[3],
    OURS: style.PALETTE[2],
}


def draw_case_study(study: CaseStudy) -> Figure:
    """Draw G1, G2 and their mixes, which share the layout of G1, above the shares that all matchers
    keep.
    """
    pair, kept = study.shown[OURS], {row.matcher: row.shown for row in study.rows}
    layout1, layout2 = (layout_of(graph.adj.to_dense()) for graph in (pair.left, pair.right))
    names = class_names("MOTIF", pair.left.num_classes)
    panels = {
        "G1": (pair.left, layout1, f"G1\n{label_text(pair.left.y[0], names)}"),
        "G2": (pair.right, layout2, f"G2\n{label_text(pair.right.y[0], names)}"),
    }
    for name, each in study.shown.items():
        share = f"{100 * kept[name]:.0f} % of G2's motif kept"
        panels[name] = (each.mixed, layout1, f"{NAMES[name]}, λ = {each.lam:.2f}\n{share}")
    with style.styled():
        figure = style.new_figure(8.6, 4.9)
        places = figure.subplot_mosaic(
            [list(panels), ["kept"] * len(panels)], height_ratios=[2.4, 0.42 * len(study.rows)]
        )
        for name, (graph, layout, title) in panels.items():
            draw_graph(places[name], graph.adj.to_dense(), layout, graph.motif, title)
        draw_shares(places["kept"], study.rows, study.number)
        figure.legend(handles=[*node_kinds(), *edge_kinds()], loc="outside upper center", ncols=4)
    return figure


def draw_shares(axes: Axes, rows: list[MotifShare], number: int) -> None:
    """Draw means and intervals as bars, the first row on top."""
    places = range(len(rows))
    means = [100 * row.mean for row in rows]
    reach = [
        [100 * (row.mean - row.low) for row in rows],
        [100 * (row.high - row.mean) for row in rows],
    ]
    colours = [COLOURS[row.matcher] for row in rows]
    axes.barh(
        places,
        means,
        height=0.62,
        color=colours,
        xerr=reach,
        error_kw={"ecolor": style.INK, "capsize": 2.5},
    )
    for place, row in enumerate(rows):
        axes.text(100 * row.high + 1.2, place, f"{100 * row.mean:.0f} %", va="center")
    axes.set_yticks(places, [NAMES[row.matcher] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel(
        f"weight of the motif's edges kept in G2', % (mean and 95 % interval, {number} held-out "
        "pairs)"
    )
    axes.tick_params(axis="y", length=0)
