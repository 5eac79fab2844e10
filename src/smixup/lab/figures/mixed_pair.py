"""A mixed pair, as in Fig. 1 and 2: its four graphs, and its assignment."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from torch import Tensor

from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import draw_graph, layout_of, node_kinds
from smixup.lab.figures.heat_map import draw_heat_map
from smixup.lab.studies.mixed_pair import MixedPair


def draw_mixed_pair(pair: MixedPair, class_names: Sequence[str] = ()) -> Figure:
    """Draw G1, G2, G2' and the mix; G1, G2' and the mix share one layout, since they share their
    nodes.

    Args:
        pair: what to draw.
        class_names: of the targets; their numbers if none are given.
    """
    left, right, mixed = pair.left, pair.right, pair.mixed
    layout1, layout2 = (layout_of(graph.adj.to_dense()) for graph in (left, right))
    label1, label2, label = (label_text(graph.y[0], class_names) for graph in (left, right, mixed))
    with style.styled():
        figure = style.new_figure(4.8, 5.0)
        axes = figure.subplots(2, 2).ravel()
        for place, graph, layout, title in (
            (axes[0], left, layout1, f"G1\n{label1}"),
            (axes[1], right, layout2, f"G2\n{label2}"),
            (axes[2], pair.aligned, layout1, "G2'\nG2 carried onto G1"),
            (axes[3], mixed, layout1, f"mix, λ = {pair.lam:.2f}\n{label}"),
        ):
            draw_graph(place, graph.adj.to_dense(), layout, graph.motif, title)
        if left.motif is not None:
            figure.legend(handles=node_kinds(), loc="outside lower center", ncols=2)
    return figure


def draw_assignment(pair: MixedPair) -> Figure:
    """Draw M of the pair as a heat map."""
    with style.styled():
        figure = style.new_figure(4.4, 4.4)
        motifs = pair.left.motif, pair.right.motif
        draw_heat_map(figure.subplots(), pair.assignment, *motifs, "assignment M")
    return figure


def label_text(y: Tensor, class_names: Sequence[str] = ()) -> str:
    """Return a soft target in words: `house`, or `0.70 house + 0.30 cycle`."""
    names = class_names or [f"class {place}" for place in range(y.numel())]
    shares = zip(y.tolist(), names, strict=True)
    parts = sorted((part for part in shares if part[0] > 0), reverse=True)
    if len(parts) == 1:
        return parts[0][1]
    return " + ".join(f"{share:.2f} {name}" for share, name in parts)
