"""One pair of graphs on its way through Eq. (4) and (5), as in Fig. 1 and 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from smixup.augment.mixing import interpolate, transform
from smixup.graphs import Graphs
from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import draw_graph, layout_of, node_kinds
from smixup.lab.figures.heat_map import draw_heat_map
from smixup.matching import Matcher


@dataclass(frozen=True)
class MixedPair:
    """Two graphs and what a matcher makes of them; all matrices dense.

    Attributes:
        adj1, adj2: `A1 [n1, n1]`, `A2 [n2, n2]`.
        aligned: `A2' [n1, n1]`, G2 on the nodes of G1.
        mixed: `A' [n1, n1]`.
        assignment: `M [n1, n2]`.
        y1, y2, y: targets of the two graphs and of the mix, `[C]`.
        lam: the ratio lambda.
        motif1, motif2: ground truth, where the data has it.
    """

    adj1: Tensor
    adj2: Tensor
    aligned: Tensor
    mixed: Tensor
    assignment: Tensor
    y1: Tensor
    y2: Tensor
    y: Tensor
    lam: float
    motif1: Tensor | None = None
    motif2: Tensor | None = None

    @classmethod
    def of(cls, matcher: Matcher, left: Graphs, right: Graphs, lam: float) -> MixedPair:
        """Match and mix two graphs, each given as a batch of one."""
        M = matcher(left, right)
        aligned = transform(M, left, right)
        mixed = interpolate(left, aligned, torch.tensor([lam]))
        return cls(
            adj1=left.adj.to_dense(),
            adj2=right.adj.to_dense(),
            aligned=aligned.adj.to_dense(),
            mixed=mixed.adj.to_dense(),
            assignment=M.to_dense(),
            y1=left.y[0],
            y2=right.y[0],
            y=mixed.y[0],
            lam=lam,
            motif1=left.motif,
            motif2=right.motif,
        )


def draw_mixed_pair(pair: MixedPair, class_names: Sequence[str] = ()) -> Figure:
    """Draw G1, G2, G2' and the mix; G1, G2' and the mix share one layout, since they share their
    nodes.

    Args:
        pair: what to draw.
        class_names: of the targets; their numbers if none are given.
    """
    with style.styled():
        figure = style.new_figure(4.8, 5.0)
        places = figure.subplot_mosaic([["G1", "G2"], ["aligned", "mix"]])
        layout1, layout2 = layout_of(pair.adj1), layout_of(pair.adj2)
        label1, label2, label = (label_text(y, class_names) for y in (pair.y1, pair.y2, pair.y))
        draw_graph(places["G1"], pair.adj1, layout1, pair.motif1, f"G1\n{label1}")
        draw_graph(places["G2"], pair.adj2, layout2, pair.motif2, f"G2\n{label2}")
        draw_graph(places["aligned"], pair.aligned, layout1, pair.motif1, "G2'\nG2 carried onto G1")
        draw_graph(
            places["mix"], pair.mixed, layout1, pair.motif1, f"mix, λ = {pair.lam:.2f}\n{label}"
        )
        if pair.motif1 is not None:
            figure.legend(handles=node_kinds(), loc="outside lower center", ncols=2)
    return figure


def draw_assignment(pair: MixedPair) -> Figure:
    """Draw M of the pair as a heat map."""
    with style.styled():
        figure = style.new_figure(4.4, 4.4)
        draw_heat_map(figure.subplots(), pair.assignment, pair.motif1, pair.motif2, "assignment M")
    return figure


def label_text(y: Tensor, class_names: Sequence[str] = ()) -> str:
    """Return a soft target in words: `house`, or `0.70 house + 0.30 cycle`."""
    names = class_names or [f"class {place}" for place in range(y.numel())]
    parts = sorted(
        ((value, names[place]) for place, value in enumerate(y.tolist()) if value > 0), reverse=True
    )
    return (
        parts[0][1]
        if len(parts) == 1
        else " + ".join(f"{value:.2f} {name}" for value, name in parts)
    )
