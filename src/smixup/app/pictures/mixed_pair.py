"""A mixed pair (Fig. 1 and 2): its four graphs and their alignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from smixup.app.pictures import style
from smixup.app.pictures.graph import draw_graph, draw_links, legend_of
from smixup.app.pictures.layouts import pair_layouts
from smixup.app.pictures.pair import MixedPair
from smixup.augment.replay import Replay
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
    places1, places2 = pair_layouts(left, right, alignment)
    label1, label2, label = (target_text(graph, class_names) for graph in (left, right, mixed))
    alone = {"hollow": ~alignment.matched1}
    panels = (
        (left, places1, f"{names[0]}\n{label1}", alone),
        (right, places2, f"{names[1]}\n{label2}", {"pale": ~alignment.matched2}),
        (pair.aligned, places1, "G2'\nG2 carried onto G1", alone),
        (mixed, places1, f"mix, λ = {pair.lam:.2f}\n{label}", alone),
    )
    with style.styled():
        figure = style.new_figure(4.8, 5.2)
        axes = figure.subplots(2, 2).ravel()
        for panel, (graph, places, title, marks) in zip(axes, panels, strict=True):
            draw_graph(panel, graph.adj.to_dense(), places, graph.motif, title, **marks)
        draw_links(axes[0], places1, axes[1], places2, alignment)
        if kinds := legend_of(alignment, left.motif is not None):
            columns = 2 if len(kinds) > 3 else len(kinds)
            figure.legend(handles=kinds, loc="outside lower center", ncols=columns)
    return figure


def draw_replay(replay: Replay, path: Path | str, class_names: Sequence[str] = ()) -> Path:
    """Draw how a mix was made, as `draw_replay(mix.replay(0), "mix.svg")`.

    Args:
        replay: of `mix.replay(i)`.
        path: of the picture, which ends with `.svg` or `.png`.
        class_names: of the targets; their numbers if none are given.
    """
    style.require_kind(Path(path))
    where = "training" if replay.in_training_set else "batch"
    names = f"G1, {where} graph {replay.first}", f"G2, {where} graph {replay.second}"
    figure = draw_mixed_pair(MixedPair.replayed(replay), class_names, names)
    return style.write_picture(figure, Path(path))


def target_text(graph: Graphs, class_names: Sequence[str] = ()) -> str:
    """Return the target of one graph in words, be it shares of classes or values: `house`,
    `0.70 house + 0.30 cycle`, or `y = 1.5`.
    """
    target = graph.y[0].tolist()
    if not graph.has_classes:
        return "y = " + ", ".join(f"{value:.3g}" for value in target)
    names = class_names or [f"class {place}" for place in range(len(target))]
    parts = sorted((share, name) for share, name in zip(target, names, strict=True) if share > 0)
    if len(parts) == 1:
        return parts[0][1]
    return " + ".join(f"{share:.2f} {name}" for share, name in parts[::-1])
