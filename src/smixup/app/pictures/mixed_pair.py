"""A mixed pair, as in Fig. 1 and 2: its four graphs, and its assignment."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import (
    alone_kinds,
    draw_graph,
    node_kinds,
)
from smixup.app.pictures.heat_map import draw_heat_map
from smixup.app.pictures.layouts import pair_layouts
from smixup.app.pictures.links import draw_links, link_kinds
from smixup.app.studies.mixed_pair import MixedPair
from smixup.graphs import Graphs


def draw_mixed_pair(
    pair: MixedPair, class_names: Sequence[str] = (), names: tuple[str, str] = ("G1", "G2")
) -> Figure:
    """Draw G1, G2, G2' and the mix; G1, G2' and the mix share one layout, since they share their
    nodes.

    Args:
        pair: what to draw.
        class_names: of the targets; their numbers if none are given.
        names: of the two graphs.
    """
    left, right, mixed, alignment = pair.left, pair.right, pair.mixed, pair.alignment
    layout1, layout2 = pair_layouts(left, right, alignment)
    label1, label2, label = (target_text(graph, class_names) for graph in (left, right, mixed))
    alone, lost = ~alignment.matched1, ~alignment.matched2
    with style.styled():
        figure = style.new_figure(4.8, 5.2)
        axes = figure.subplots(2, 2).ravel()
        for place, graph, layout, hollow, pale, title in (
            (axes[0], left, layout1, alone, None, f"{names[0]}\n{label1}"),
            (axes[1], right, layout2, None, lost, f"{names[1]}\n{label2}"),
            (axes[2], pair.aligned, layout1, alone, None, "G2'\nG2 carried onto G1"),
            (axes[3], mixed, layout1, alone, None, f"mix, λ = {pair.lam:.2f}\n{label}"),
        ):
            adj = graph.adj.to_dense()
            draw_graph(place, adj, layout, graph.motif, title, hollow=hollow, pale=pale)
        draw_links(axes[0], layout1, axes[1], layout2, alignment)
        kinds = node_kinds() if left.motif is not None else []
        kinds = [*kinds, *link_kinds(alignment), *alone_kinds(alignment)]
        if kinds:
            columns = 2 if len(kinds) > 3 else len(kinds)
            figure.legend(handles=kinds, loc="outside lower center", ncols=columns)
    return figure


def draw_assignment(pair: MixedPair) -> Figure:
    """Draw M of the pair as a heat map."""
    with style.styled():
        figure = style.new_figure(4.4, 4.4)
        motifs, title = (pair.left.motif, pair.right.motif), f"{pair.alignment.kind} assignment M"
        draw_heat_map(figure.subplots(), pair.assignment, *motifs, title)
    return figure


def target_text(graph: Graphs, class_names: Sequence[str] = ()) -> str:
    """Return the target of one graph in words, be it shares of classes or values."""
    if graph.has_classes:
        return label_text(graph.y[0], class_names)
    return "y = " + ", ".join(f"{value:.3g}" for value in graph.y[0].tolist())


def label_text(y: Tensor, class_names: Sequence[str] = ()) -> str:
    """Return a soft target in words: `house`, or `0.70 house + 0.30 cycle`."""
    names = class_names or [f"class {place}" for place in range(y.numel())]
    shares = zip(y.tolist(), names, strict=True)
    parts = sorted((part for part in shares if part[0] > 0), reverse=True)
    if len(parts) == 1:
        return parts[0][1]
    return " + ".join(f"{share:.2f} {name}" for share, name in parts)
