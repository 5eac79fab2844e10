"""Fig. 2: a pair of one class, mixed in random order and along its alignment, and what is kept of
the motif.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smixup.datasets.motif import CLASSES
from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import draw_graph, edge_kinds, layout_of, node_kinds
from smixup.lab.figures.mixed_pair import MixedPair, label_text
from smixup.lab.studies.case_study import RANDOM, UNIFORM, CaseStudy, MotifShare
from smixup.lab.studies.match_quality import OURS, PUBLISHED

LAM = 0.5
NAMES = {
    RANDOM: "random order",
    UNIFORM: "uniform",
    PUBLISHED: "paper's (cosine)",
    OURS: "S-Mixup (ours)",
}
COLOURS = {
    RANDOM: style.METHODS[1],
    UNIFORM: style.METHODS[4],
    PUBLISHED: style.METHODS[3],
    OURS: style.METHODS[2],
}


def draw_case_study(study: CaseStudy, lam: float = LAM) -> Figure:
    """Draw G1, G2 and their mixes, which share the layout of G1, above the shares that all matchers
    keep.

    Args:
        study: what was measured.
        lam: the ratio of the mixes.
    """
    with style.styled():
        figure = style.new_figure(8.6, 4.9)
        places = figure.subplot_mosaic(
            [["G1", "G2", RANDOM, OURS], ["kept"] * 4], height_ratios=[2.4, 0.42 * len(study.rows)]
        )
        _draw_originals(places["G1"], places["G2"], study)
        for name in (RANDOM, OURS):
            _draw_mix(places[name], study, name, lam)
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


def _draw_originals(first: Axes, second: Axes, study: CaseStudy) -> None:
    for axes, graph, name in ((first, study.left, "G1"), (second, study.right, "G2")):
        adj = graph.adj.to_dense()
        draw_graph(
            axes, adj, layout_of(adj), graph.motif, f"{name}\n{label_text(graph.y[0], CLASSES)}"
        )


def _draw_mix(axes: Axes, study: CaseStudy, name: str, lam: float) -> None:
    pair = MixedPair.of(study.matchers[name], study.left, study.right, lam)
    (kept,) = (row.shown for row in study.rows if row.matcher == name)
    title = f"{NAMES[name]}, λ = {lam:.2f}\n{100 * kept:.0f} % of G2's motif kept"
    draw_graph(axes, pair.mixed, layout_of(pair.adj1), pair.motif1, title)
