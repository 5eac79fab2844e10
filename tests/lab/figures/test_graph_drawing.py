"""Graphs are drawn with the right edges, colours and darkness."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import draw_graph, edge_kinds, layout_of, node_kinds

WEIGHTS = torch.tensor([[0.0, 0.25, 3.0], [0.25, 0.0, 0.01], [3.0, 0.01, 0.0]])
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def collections(motif: torch.Tensor | None = None) -> tuple[LineCollection, PathCollection]:
    axes = style.new_figure(2, 2).subplots()
    draw_graph(axes, WEIGHTS, PLACES, motif, "three")
    assert axes.get_title() == "three"
    lines, nodes = axes.collections
    assert isinstance(lines, LineCollection)
    assert isinstance(nodes, PathCollection)
    return lines, nodes


def test_heavier_edges_are_darker_and_dust_is_left_out() -> None:
    lines, _ = collections()
    ends = [segment.tolist() for segment in lines.get_segments()]
    assert ends == [[[0, 0], [1, 0]], [[0, 0], [0, 1]]], (
        "light first, so that heavy edges lie above"
    )
    assert np.asarray(lines.get_alpha()).tolist() == [0.25, 1.0]


def test_motif_nodes_are_red_and_base_nodes_blue() -> None:
    _, nodes = collections(torch.tensor([False, True, False]))
    colours = [to_hex(colour) for colour in np.asarray(nodes.get_facecolor())]
    assert colours == [style.BASE, style.MOTIF, style.BASE]
    assert [str(each.get_label()) for each in node_kinds()] == ["motif node", "base node"]
    _, plain = collections()
    assert {to_hex(colour) for colour in np.asarray(plain.get_facecolor())} == {style.BASE}


def test_colours_of_ones_own_and_a_legend_of_weights() -> None:
    axes = style.new_figure(2, 2).subplots()
    colours = np.eye(3)
    draw_graph(axes, WEIGHTS, PLACES, colours=colours)
    assert np.array_equal(np.asarray(axes.collections[1].get_facecolor())[:, :3], colours)
    heavy, light = edge_kinds()
    assert (heavy.get_label(), light.get_label()) == ("edge of weight 1", "edge of weight 0.25")
    assert heavy.get_linewidth() > light.get_linewidth()
    lines, _ = collections()
    assert np.asarray(lines.get_linewidth()).tolist() == pytest.approx(
        [light.get_linewidth(), heavy.get_linewidth()]
    )


@pytest.mark.parametrize("adj", [WEIGHTS, torch.zeros(4, 4), torch.zeros(1, 1), torch.zeros(0, 0)])
def test_every_graph_has_a_layout_that_repeats(adj: torch.Tensor) -> None:
    first = layout_of(adj)
    assert first.shape == (len(adj), 2)
    assert np.isfinite(first).all()
    assert np.array_equal(layout_of(adj), first)
    axes = style.new_figure(2, 2).subplots()
    draw_graph(axes, adj, first)
