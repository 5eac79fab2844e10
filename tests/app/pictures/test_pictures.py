"""Pictures show the right edges, colours and words, repeat to the byte, and touch nothing else."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import torch
from app.contrast import contrast
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch
from torch_geometric.data import Batch

from smixup import SMixup, silent, to_pyg
from smixup.app.explain import Explained
from smixup.app.pictures import style
from smixup.app.pictures.graph import RISE, draw_explanation, draw_graph, edge_width, legend_of
from smixup.app.pictures.methods import (
    COLOURS,
    NAMES,
    OTHERS,
    DotRow,
    colours_of,
    draw_dots,
    named_in,
    title_of,
)
from smixup.app.pictures.mixed_pair import (
    Alignment,
    MixedPair,
    draw_mixed_pair,
    draw_replay,
    target_text,
)
from smixup.app.runs.registry import METHODS
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity
from smixup.models.explanation import Explanation

WEIGHTS = torch.tensor([[0.0, 0.25, 3.0], [0.25, 0.0, 0.01], [3.0, 0.01, 0.0]])
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def drawn(**marks: torch.Tensor) -> tuple[LineCollection, PathCollection]:
    axes = style.new_figure(2, 2).subplots()
    draw_graph(axes, WEIGHTS, PLACES, **marks)
    lines, nodes = axes.collections
    assert isinstance(lines, LineCollection)
    assert isinstance(nodes, PathCollection)
    return lines, nodes


def colours(values: object) -> list[str]:
    return [to_hex(colour) for colour in np.asarray(values)]


def words(figure: Figure) -> str:
    titles = [axes.get_title() for axes in figure.axes]
    legend = [text.get_text() for each in figure.legends for text in each.get_texts()]
    return "\n".join([*titles, *legend])


def test_heavier_edges_are_stronger_and_dust_is_left_out() -> None:
    lines, _ = drawn()
    ends = [segment.tolist() for segment in lines.get_segments()]
    assert ends == [[[0, 0], [1, 0]], [[0, 0], [0, 1]]], "light first, so that heavy ones lie above"
    assert np.asarray(lines.get_alpha()).tolist() == pytest.approx([0.25**RISE, 1.0])
    widths = [edge_width(weight) for weight in (0.25, 1.0, 2.0, 4.0)]
    assert widths == sorted(widths)


def test_motif_nodes_are_red_rings_are_hollow_and_dropped_nodes_pale() -> None:
    flags = [torch.tensor(each, dtype=torch.bool) for each in ([0, 1, 0], [1, 0, 0], [0, 0, 1])]
    lines, nodes = drawn(motif=flags[0], hollow=flags[1], pale=flags[2])
    assert colours(nodes.get_facecolor()) == [style.HOLLOW, style.MOTIF, style.BASE]
    assert colours(nodes.get_edgecolor()) == [style.BASE, style.MOTIF, style.BASE]
    assert np.asarray(nodes.get_edgecolor())[:, 3].tolist()[:2] == [1, 1]
    assert np.asarray(nodes.get_edgecolor())[2, 3] < 0.5
    assert np.asarray(lines.get_alpha()).max() < 0.5, "the heavy edge leads to the dropped node"


def test_alignments_are_told_apart() -> None:
    eye, both = torch.eye(3), [(0, 0), (1, 1)]
    matched, alone, dropped = "matched nodes", "no counterpart in G2", "no place in G1: dropped"
    for M, kind, links, legend in (
        (eye, "one-to-one", [*both, (2, 2)], [matched]),
        (eye[:, :2], "one-to-one", both, [matched, alone]),
        (eye[:2], "one-to-one", both, [matched, dropped]),
        (torch.ones(1, 2), "many-to-one", [(0, 0), (0, 1)], [matched]),
        (torch.full((2, 2), 0.5), "soft", [], []),
        (torch.zeros(0, 2), "one-to-one", [], [dropped]),
    ):
        alignment = Alignment(M)
        assert (alignment.kind, alignment.links) == (kind, links)
        assert [line.get_label() for line in legend_of(alignment, False)] == legend


def test_a_mixed_pair_has_four_graphs_and_links(motif_graphs: Graphs) -> None:
    pair = MixedPair.of(Identity(partial=True), motif_graphs[[0]], motif_graphs[[1]], 0.75)
    figure = draw_mixed_pair(pair, ("cycle", "house", "crane"))
    for text in ("G1\n", "G2\n", "G2 carried onto G1", "mix, λ = 0.75", "motif node", "matched"):
        assert text in words(figure)
    links = [each for each in figure.artists if isinstance(each, ConnectionPatch)]
    assert len(links) == min(pair.left.num_nodes, pair.right.num_nodes)
    first, _, carried, mix = ([*axes.collections][1] for axes in figure.axes)
    for panel in (carried, mix):
        assert np.array_equal(panel.get_offsets(), first.get_offsets()), "one layout"


def test_targets_in_words(motif_graphs: Graphs, pair: MixedPair) -> None:
    names = ("cycle", "house", "crane")
    assert target_text(motif_graphs[[0]], names) in names
    assert target_text(pair.mixed, names).startswith("0.75 ")
    values = motif_graphs[[0]].replace(y=torch.tensor([[0.31, -2.0]]), has_classes=False)
    assert target_text(values) == "y = 0.31, -2"


def test_a_replayed_mix_is_drawn(motif_graphs: Graphs, tmp_path: Path) -> None:
    graphs = to_pyg(motif_graphs).to_data_list()
    mix = SMixup(Identity(partial=True), seed=0).fit(graphs, silent)
    mix(Batch.from_data_list(graphs[3:6]))
    path = draw_replay(mix.replay(0), tmp_path / "mix.svg", ("cycle", "house", "crane"))
    assert ElementTree.fromstring(path.read_bytes()).tag.endswith("svg")
    replayed = MixedPair.replayed(mix.replay(0))
    adj = replayed.mixed.adj.to_dense()
    assert torch.equal(adj, adj.T)


def test_an_explanation_is_orange_for_and_blue_against() -> None:
    edges = torch.tensor([[0, 1], [1, 2]])
    found = Explanation(0, 1.5, torch.tensor([2.0, 0.0, -2.0]), edges, torch.tensor([2.0, -0.2]))
    adj = torch.zeros(3, 3)
    adj[edges[0], edges[1]] = adj[edges[1], edges[0]] = 1
    title, labels = "label 'active'", ("C", "N", "O")
    explained = Explained(0, "active", title, "log odds", 0.5, adj, found, labels, "atom")
    axes = draw_explanation(explained, "why", 1).axes[0]
    lines, nodes = axes.collections
    strong, _, against = colours(nodes.get_facecolor())
    assert (strong, against) == (style.MOTIF, style.AGAINST)
    widths = np.asarray(lines.get_linewidths())
    assert widths.argmax() == 1, "the strongest edge is the widest, and lies above"
    assert [text.get_text() for text in axes.texts] == ["C", "N", "O", "0"]


def test_dots_show_every_run_and_the_better_side() -> None:
    rows = [DotRow("s-mixup", [1, 2, 3], 2, 0.5, 3.5), DotRow("new", [0], 0, -math.inf, math.inf)]
    axes = draw_dots(rows, "points", 1.0).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "S-Mixup\nn = 3",
        "new\nn = 1",
    ]
    dots = [len(np.asarray(each.get_offsets())) for each in axes.collections]
    assert dots == [3, 1, 1, 1], "runs and mean of both"
    assert len(axes.lines) == 2, "zero, and the one interval that is known"
    assert axes.xaxis.get_label_text() == "better →"
    lower = draw_dots(rows, "loss", 0.0, higher_is_better=False).axes[0]
    assert lower.xaxis.get_label_text() == "← better"


def test_every_method_has_one_name_and_a_colour_that_is_seen() -> None:
    assert set(METHODS.entries) <= set(NAMES)
    for ground in ("#fdfdfb", "#16191d"):
        assert all(contrast(colour, ground) >= 2.9 for colour in (*COLOURS.values(), *OTHERS))
    assert title_of("random-order") == title_of("Random Alignment") == "random alignment"
    assert len(set(colours_of(["S-Mixup", "mine", "yours"]).values())) == 3
    assert (
        named_in("s-mixup helps, fast-s-mixup does not") == "S-Mixup helps, fast-s-mixup does not"
    )


def test_pictures_repeat_to_the_byte_and_leave_settings_alone(pair: MixedPair) -> None:
    before = dict(mpl.rcParams)
    first, again = (style.to_svg(draw_mixed_pair(pair)) for _ in range(2))
    assert first == again
    assert "prefers-color-scheme: dark" in first
    assert dict(mpl.rcParams) == before
    plt = sys.modules.get("matplotlib.pyplot")
    assert plt is None or not plt.get_fignums()
    themed = style.to_svg(draw_mixed_pair(pair), themed=True)
    assert style.INK not in themed
    assert "currentColor" in themed


def test_files_are_whole_and_of_a_known_kind(tmp_path: Path) -> None:
    figure = style.new_figure(1, 1)
    assert style.write_picture(figure, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert style.write_picture(figure, tmp_path / "a.svg").read_text().startswith("<?xml")
    with pytest.raises(UsageError, match=r"must end with \.svg or \.png"):
        style.write_picture(figure, tmp_path / "a.jpg")


def test_writing_can_be_read_light_and_dark() -> None:
    assert contrast(style.INK, "#fdfdfb") >= 4.5
    assert contrast(style.INK_ON_DARK, "#16191d") >= 4.5
