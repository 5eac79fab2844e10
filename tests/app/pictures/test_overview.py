"""The overview: corresponding nodes in corresponding colours, and every step in its panel."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from smixup.app.pictures import style
from smixup.app.pictures.overview import (
    carried_back,
    colours_along,
    draw_matrix,
    draw_overview,
    draw_target,
    from_left,
    lying,
)
from smixup.app.studies.mixed_pair import MixedPair
from smixup.app.studies.overview import overview
from smixup.graphs import Graphs
from smixup.matching import Identity, Uniform

NAMES = ("cycle", "house", "crane")
PLACES = np.array([[0.5, 0.0], [-1.0, 0.2], [2.0, 0.1]])


def colours_of(axes: Axes) -> np.ndarray:
    return np.asarray(axes.collections[1].get_facecolor())[:, :3]


def panels(
    motif_graphs: Graphs, left: int, right: int, matcher: Identity | Uniform
) -> dict[str, Axes]:
    pair = MixedPair.of(matcher, motif_graphs[[left]], motif_graphs[[right]], 0.6)
    return {str(axes.get_label()): axes for axes in draw_overview(pair, NAMES).axes}


def test_a_node_has_the_colour_of_the_nodes_it_is_assigned_to(motif_graphs: Graphs) -> None:
    axes = panels(motif_graphs, 0, 0, Identity())
    assert np.allclose(colours_of(axes["G2"]), colours_of(axes["G1"]))
    assert len(np.unique(colours_of(axes["G1"]), axis=0)) == len(colours_of(axes["G1"]))
    spread = panels(motif_graphs, 0, 1, Uniform())
    mean = colours_of(spread["G1"]).mean(0)
    assert np.allclose(colours_of(spread["G2"]), mean, atol=1e-5), (
        "spread over all nodes, all colours run together"
    )


def test_g1_its_partner_and_the_mix_share_places_and_colours(motif_graphs: Graphs) -> None:
    axes = panels(motif_graphs, 0, 1, Identity())
    for name in ("aligned", "mix"):
        for get in (colours_of, lambda each: np.asarray(each.collections[1].get_offsets())):
            assert np.array_equal(get(axes[name]), get(axes["G1"]))
    assert "λ = 0.60" in axes["mix"].get_title()
    assert axes["y1"].get_title() == axes["y2"].get_xlabel().replace("2", "1") == "G1"
    assert all(axes[name].get_title() for name in ("M", "aligned"))


def test_one_to_one_pairs_are_linked_and_nodes_without_place_are_pale_and_grey(
    motif_graphs: Graphs,
) -> None:
    order = motif_graphs.sizes.argsort()
    small, large = motif_graphs[order[:1]], motif_graphs[order[-1:]]
    pair = MixedPair.of(Identity(partial=True), small, large, 0.6)
    figure = draw_overview(pair, NAMES)
    axes = {str(each.get_label()): each for each in figure.axes}
    assert len(figure.artists) == small.num_nodes
    assert axes["M"].get_title() == "one-to-one assignment M"
    faces = np.asarray(axes["G2"].collections[1].get_facecolor())
    lost = ~pair.alignment.matched2.numpy()
    assert {to_hex(face) for face in faces[lost]} == {style.PALETTE[0]}
    assert ((faces[:, 3] < 1) == lost).all()
    shown = np.asarray(axes["M"].images[0].get_array())
    n = small.num_nodes
    assert np.array_equal(shown[:, :n], np.eye(n)), "counterparts in one order, the others last"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[2:] == ["M = 1", "matched nodes", "no place in G1: dropped"]


def test_links_cross_no_writing(motif_graphs: Graphs) -> None:
    """Between G1 and G2 there is nothing else."""
    pair = MixedPair.of(Identity(partial=True), motif_graphs[[0]], motif_graphs[[1]], 0.6)
    figure = draw_overview(pair, NAMES)
    figure.canvas.draw()
    axes = {str(each.get_label()): each for each in figure.axes}
    top, bottom = (axes[name].get_window_extent() for name in ("G1", "G2"))
    assert axes["y1"].get_window_extent().y0 >= top.y1
    assert axes["y2"].get_window_extent().y1 <= bottom.y0


def test_means_over_the_nodes_to_which_a_node_goes() -> None:
    M = np.array([[0.2, 0.0, 1.0], [0.6, 0.0, 0.0]])
    values = np.array([[4.0], [8.0]])
    assert np.allclose(carried_back(M, values), [[7.0], [0.0], [4.0]])


def test_colours_go_from_left_to_right() -> None:
    assert from_left(PLACES).tolist() == [1, 0, 2]
    colours = colours_along(PLACES)
    assert colours[1, 2] > colours[1, 0], "blue at the left"
    assert colours[2, 0] > colours[2, 2], "red at the right"
    assert colours_along(np.zeros((1, 2))).shape == (1, 3)


def test_a_layout_is_turned_and_not_bent() -> None:
    turned = lying(PLACES[:, ::-1])
    assert np.ptp(turned[:, 0]) > np.ptp(turned[:, 1])
    distances = [np.linalg.norm(each[:, None] - each[None], axis=2) for each in (PLACES, turned)]
    assert np.allclose(*distances)


def test_a_target_is_a_bar_with_its_classes() -> None:
    axes = style.new_figure(2, 1).subplots()
    draw_target(axes, torch.tensor([0.6, 0.0, 0.4]), NAMES)
    assert [text.get_text() for text in axes.texts] == ["0.60 cycle", "0.40 crane"]
    widths = [patch.get_width() for patch in axes.patches if isinstance(patch, Rectangle)]
    assert widths == pytest.approx([0.6, 0, 0.4])


def test_rows_and_columns_of_the_assignment_carry_their_nodes_colours() -> None:
    axes = style.new_figure(2, 2).subplots()
    M = np.array([[0.0, 1.0], [0.25, 0.0], [0.75, 0.0]])
    colours1 = colours_along(PLACES)
    draw_matrix(axes, M, from_left(PLACES), colours1, M.T @ colours1)
    shown = np.asarray(axes.images[0].get_array())
    assert np.array_equal(shown, np.array([[0, 0.25], [1, 0], [0, 0.75]])), (
        "node 1 first; and the column that goes further up"
    )
    strips = [patch.get_facecolor()[:3] for patch in axes.patches]
    assert np.allclose(
        strips, [*colours1[[1, 0, 2]], colours1[0], 0.25 * colours1[1] + 0.75 * colours1[2]]
    )


def test_one_seed_one_picture() -> None:
    first, second = (
        draw_overview(*overview(matcher="identity", seed=1, options={"num_graphs": 30}))
        for _ in range(2)
    )
    assert style.to_svg(first) == style.to_svg(second)
    drawn = [axes for axes in first.axes if axes.get_label() in ("G1", "G2", "aligned", "mix")]
    assert all(len(colours_of(axes)) > 1 for axes in drawn)
    assert len(drawn) == 4
