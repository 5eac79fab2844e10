"""Fig. 2: a pair of one class, mixed in random order and along its alignment, and what is kept of
the motif.
"""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import alone_kinds, draw_graph, edge_kinds, node_kinds
from smixup.app.pictures.layouts import pair_layouts
from smixup.app.pictures.links import draw_links, link_kinds
from smixup.app.pictures.method_look import look_of, title_of
from smixup.app.pictures.mixed_pair import label_text
from smixup.app.studies.case_study import CaseStudy, MotifShare
from smixup.app.studies.look import QUICK
from smixup.app.studies.match_quality import OURS, PUBLISHED, RANDOM, UNIFORM
from smixup.app.studies.pair_source import class_names

NAMES = {name: title_of(name) for name in (RANDOM, UNIFORM, PUBLISHED, OURS)}
ROOM = 10.0
"""To the right of the bars, for what is written there."""


def draw_case_study(study: CaseStudy) -> Figure:
    """Draw G1, G2 and their mixes, which share the layout of G1, above the shares that all matchers
    keep.

    Links join what S-Mixup matched. A node of G1 is hollow where it has no counterpart in the
    alignment of its panel.
    """
    quick = {OURS: f"{title_of(OURS)} (quick fit)"} if study.fit == QUICK else {}
    names_of = NAMES | quick
    pair, kept = study.shown[OURS], {row.matcher: row.shown for row in study.rows}
    alignment = pair.alignment
    layout1, layout2 = pair_layouts(pair.left, pair.right, alignment)
    alone, lost = ~alignment.matched1, ~alignment.matched2
    names = class_names("MOTIF", pair.left.num_classes)
    panels = {
        "G1": (pair.left, layout1, alone, None, f"G1\n{label_text(pair.left.y[0], names)}"),
        "G2": (pair.right, layout2, None, lost, f"G2\n{label_text(pair.right.y[0], names)}"),
    }
    for name, each in study.shown.items():
        share = f"{100 * kept[name]:.0f} % of G2's motif kept"
        title = f"{names_of[name]}, λ = {each.lam:.2f}\n{share}"
        panels[name] = (each.mixed, layout1, ~each.alignment.matched1, None, title)
    with style.styled():
        figure = style.new_figure(9.2, 5.1)
        places = figure.subplot_mosaic(
            [list(panels), ["kept"] * len(panels)], height_ratios=[2.4, 0.42 * len(study.rows)]
        )
        adjs = [graph.adj.to_dense() for graph, *_ in panels.values()]
        for (name, (graph, layout, hollow, pale, title)), adj in zip(
            panels.items(), adjs, strict=True
        ):
            draw_graph(places[name], adj, layout, graph.motif, title, hollow=hollow, pale=pale)
        draw_links(places["G1"], layout1, places["G2"], layout2, alignment)
        draw_shares(places["kept"], study.rows, study.number, names_of)
        rings = [kind for each in study.shown.values() for kind in alone_kinds(each.alignment)]
        kinds = [*node_kinds(), *edge_kinds(*adjs), *link_kinds(alignment)]
        kinds += {kind.get_label(): kind for kind in rings}.values()
        columns = len(kinds) if len(kinds) < 6 else -(-len(kinds) // 2)
        figure.legend(handles=kinds, loc="outside upper center", ncols=columns)
    return figure


def draw_shares(
    axes: Axes, rows: list[MotifShare], number: int, names: Mapping[str, str] = NAMES
) -> None:
    """Draw means and intervals as bars, the first row on top."""
    places = range(len(rows))
    means = [100 * row.mean for row in rows]
    lows = [max(100 * row.low, 0) for row in rows]  # Student's interval knows nothing of either end
    highs = [min(100 * row.high, 100) for row in rows]
    reach = [
        [max(mean - low, 0) for mean, low in zip(means, lows, strict=True)],
        [max(high - mean, 0) for mean, high in zip(means, highs, strict=True)],
    ]
    colours = [look_of(row.matcher).colour for row in rows]
    axes.barh(
        places,
        means,
        height=0.62,
        color=colours,
        xerr=reach,
        error_kw={"ecolor": style.INK, "capsize": 2.5},
    )
    for place, (mean, high) in enumerate(zip(means, highs, strict=True)):
        axes.text(max(mean, high) + 1.2, place, f"{mean:.1f} %", va="center")
    axes.set_yticks(places, [names[row.matcher] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, max(100, *means) + ROOM)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel(
        f"weight of the motif's edges kept in G2', % (mean and 95 % interval, {number} held-out "
        "pairs)"
    )
    axes.tick_params(axis="y", length=0)
