"""Graphs are drawn with the right edges, colours and darkness."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import RISE, alone_kinds, draw_graph, edge_kinds, node_kinds
from smixup.app.pictures.layouts import layout_of, turned
from smixup.app.studies.alignment import Alignment

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


def test_heavier_edges_are_stronger_and_dust_is_left_out() -> None:
    lines, _ = collections()
    ends = [segment.tolist() for segment in lines.get_segments()]
    assert ends == [[[0, 0], [1, 0]], [[0, 0], [0, 1]]], (
        "light first, so that heavy edges lie above"
    )
    assert np.asarray(lines.get_alpha()).tolist() == pytest.approx([0.25**RISE, 1.0])


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
    beyond, heavy, light = edge_kinds(WEIGHTS, torch.zeros(0, 0))
    assert beyond.get_label() == "edge of weight 3"
    assert beyond.get_linewidth() > heavy.get_linewidth()
    lines, _ = collections()
    assert np.asarray(lines.get_linewidth()).tolist() == pytest.approx(
        [light.get_linewidth(), beyond.get_linewidth()]
    )


@pytest.mark.parametrize("adj", [WEIGHTS, torch.zeros(4, 4), torch.zeros(1, 1), torch.zeros(0, 0)])
def test_every_graph_has_a_layout_that_repeats(adj: torch.Tensor) -> None:
    first = layout_of(adj)
    assert first.shape == (len(adj), 2)
    assert np.isfinite(first).all()
    assert np.array_equal(layout_of(adj), first)
    axes = style.new_figure(2, 2).subplots()
    draw_graph(axes, adj, first)


def test_nodes_without_counterpart_are_rings() -> None:
    axes = style.new_figure(2, 2).subplots()
    hollow = torch.tensor([False, True, False])
    draw_graph(axes, WEIGHTS, PLACES, torch.tensor([True, True, False]), hollow=hollow)
    _, nodes = axes.collections
    faces = [to_hex(colour) for colour in np.asarray(nodes.get_facecolor())]
    rims = [to_hex(colour) for colour in np.asarray(nodes.get_edgecolor())]
    assert faces == [style.MOTIF, style.HOLLOW, style.BASE]
    assert rims == [style.MOTIF, style.MOTIF, style.BASE]
    assert (np.asarray(nodes.get_linewidth()) > 0).tolist() == hollow.tolist()


def test_dropped_nodes_and_their_edges_are_pale() -> None:
    axes = style.new_figure(2, 2).subplots()
    draw_graph(axes, WEIGHTS, PLACES, pale=torch.tensor([False, False, True]))
    lines, nodes = axes.collections
    assert (np.asarray(nodes.get_facecolor())[:, 3] < 0.5).tolist() == [False, False, True]
    strength = dict(
        zip(
            [tuple(segment[1]) for segment in lines.get_segments()],
            np.asarray(lines.get_alpha()).tolist(),
            strict=True,
        )
    )
    assert strength[1.0, 0.0] == pytest.approx(0.25**RISE)
    assert strength[0.0, 1.0] < 0.5, "the heavy edge leads to the dropped node"


def test_the_legend_names_what_occurs() -> None:
    def names(M: torch.Tensor) -> list[str]:
        return [str(each.get_label()) for each in alone_kinds(Alignment(M))]

    assert names(torch.eye(2)) == []
    assert names(torch.eye(3)[:, :2]) == ["no counterpart in G2"]
    assert names(torch.eye(3)[:2]) == ["no place in G1: dropped"]


def test_nodes_without_target_do_not_turn_a_layout() -> None:
    places = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [9.0, 9.0]])
    targets = np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 4.0], [0.0, 0.0]])
    known = torch.tensor([True, True, True, False])
    found = turned(places, targets, known)
    assert np.allclose(found[:3] - found[0], targets[:3])
    lengths = [np.linalg.norm(each - each[0], axis=1) for each in (places, found)]
    assert np.allclose(*lengths), "turned as a whole"
    assert np.isfinite(turned(places, targets, torch.zeros(4, dtype=torch.bool))).all()
