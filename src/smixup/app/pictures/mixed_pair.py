"""One pair of graphs on its way through Eq. (4) and (5), and how it is drawn (Fig. 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from matplotlib.figure import Figure
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.graph import draw_graph, draw_links, legend_of
from smixup.app.pictures.layouts import pair_layouts
from smixup.augment.mixing import TRANSPORTS, interpolate
from smixup.augment.replay import Replay
from smixup.augment.smixup import SMixup
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Matcher

NOTHING, LAM = 5e-4, 0.6
TRANSPORT = TRANSPORTS.of(SMixup.transport)
"""What the method uses by default."""


@dataclass(frozen=True)
class Alignment:
    """An assignment `M [n1, n2]`, as it is looked at."""

    M: Tensor

    @property
    def kind(self) -> str:
        """`one-to-one` if every node is used at most once, `many-to-one` if nodes of G2 go as a
        whole and some share a node of G1, else `soft`.
        """
        if bool(((self.M != 0) & (self.M != 1)).any()) or bool((self.M.sum(0) > 1).any()):
            return "soft"
        return "one-to-one" if bool((self.M.sum(1) <= 1).all()) else "many-to-one"

    @property
    def links(self) -> list[tuple[int, int]]:
        """Pairs of matched nodes, of G1 and of G2; none if the alignment is soft."""
        matched = [] if self.kind == "soft" else self.M.T.nonzero().tolist()
        return [(row, column) for column, row in matched]

    @property
    def matched1(self) -> Tensor:
        """Which nodes of G1 have a counterpart, `[n1]`."""
        return self.M.sum(1) > NOTHING

    @property
    def matched2(self) -> Tensor:
        """Which nodes of G2 find a place in G1, `[n2]`."""
        return self.M.sum(0) > NOTHING


@dataclass(frozen=True)
class MixedPair:
    """G1 and G2, G2' (`aligned`: G2 on the nodes of G1), their mix at the ratio `lam`, each of them
    `Graphs` with one graph, and the assignment `M [n1, n2]`.
    """

    left: Graphs
    right: Graphs
    aligned: Graphs
    mixed: Graphs
    assignment: Tensor
    lam: float

    @classmethod
    def of(cls, matcher: Matcher, left: Graphs, right: Graphs, lam: float = LAM) -> MixedPair:
        """Match and mix two graphs."""
        return cls.along(matcher(left, right), left, right, lam)

    @classmethod
    def along(cls, M: SparseOperator, left: Graphs, right: Graphs, lam: float = LAM) -> MixedPair:
        """Mix two graphs along a given assignment."""
        aligned = TRANSPORT(M, left, right)
        mixed = interpolate(left, aligned, torch.tensor([lam]))
        return cls(left, right, aligned, mixed, M.to_dense(), lam)

    @classmethod
    def replayed(cls, replay: Replay) -> MixedPair:
        """Return the pair behind a mix that was handed out, every edge in both directions."""
        graphs = replay.left, replay.right, replay.aligned, replay.mixed
        left, right, aligned, mixed = map(_undirected, graphs)
        return cls(left, right, aligned, mixed, replay.alignment, replay.ratio)

    @property
    def alignment(self) -> Alignment:
        return Alignment(self.assignment)


def _undirected(graph: Graphs) -> Graphs:
    adj = graph.adj.to_dense()
    both = torch.where(adj.abs() >= adj.T.abs(), adj, adj.T)
    target, source = both.nonzero(as_tuple=True)
    edges = torch.stack([source, target])
    adj_both = SparseOperator.from_edges(edges, both[target, source], len(both))
    return graph.replace(adj=adj_both, edge_attrs={})


def draw_mixed_pair(
    pair: MixedPair, class_names: Sequence[str] = (), names: tuple[str, str] = ("G1", "G2")
) -> Figure:
    """Draw G1, G2, G2' and the mix; G1, G2' and the mix share one layout, as they share nodes.

    Targets have `class_names`, or numbers, and the two graphs `names`.
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
    """Return the target of one graph in words: `house`, `0.70 house + 0.30 cycle`, `y = 1.5`."""
    target = graph.y[0].tolist()
    if not graph.has_classes:
        return "y = " + ", ".join(f"{value:.3g}" for value in target)
    names = class_names or [f"class {place}" for place in range(len(target))]
    parts = sorted((share, name) for share, name in zip(target, names, strict=True) if share > 0)
    mixed = " + ".join(f"{share:.2f} {name}" for share, name in parts[::-1])
    return parts[0][1] if len(parts) == 1 else mixed
