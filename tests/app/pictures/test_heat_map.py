"""The heat map shows M with motif nodes last and marked."""

from __future__ import annotations

import numpy as np
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from smixup.app.pictures import style
from smixup.app.pictures.heat_map import draw_heat_map, matched_orders, motif_last
from smixup.app.studies.alignment import Alignment

M = torch.tensor([[0.7, 0.0, 0.1], [0.3, 1.0, 0.9]])


def test_rows_and_columns_are_ordered_with_the_motif_last() -> None:
    axes = style.new_figure(3, 3).subplots()
    bar = draw_heat_map(
        axes, M, torch.tensor([True, False]), torch.tensor([False, True, False]), "M"
    )
    shown = np.asarray(axes.images[0].get_array())
    assert np.allclose(shown, [[0.3, 0.9, 1.0], [0.7, 0.1, 0.0]])
    assert axes.images[0].get_clim() == (0, 1)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == (
        "node of G2",
        "node of G1",
        "M",
    )
    assert bar.ax.get_ylabel()


def test_marks_beside_rows_and_below_columns() -> None:
    axes = style.new_figure(3, 3).subplots()
    draw_heat_map(axes, M, torch.tensor([True, False]), torch.tensor([False, True, False]))
    colours = [
        to_hex(patch.get_facecolor()) for patch in axes.patches if isinstance(patch, Rectangle)
    ]
    assert colours == [style.BASE, style.MOTIF, style.BASE, style.BASE, style.MOTIF]


def test_labels_stand_clear_of_the_marks() -> None:
    figure = style.new_figure(4.4, 4.4)
    axes = figure.subplots()
    draw_heat_map(axes, M)
    figure.canvas.draw()
    marks = [patch.get_window_extent() for patch in axes.patches]
    assert axes.xaxis.label.get_window_extent().y1 < min(mark.y0 for mark in marks)
    assert axes.yaxis.label.get_window_extent().x1 < min(mark.x0 for mark in marks)


def test_without_a_motif_the_order_stays() -> None:
    assert motif_last(None, 3).tolist() == [0, 1, 2]
    assert motif_last(torch.tensor([True, False, True, False]), 4).tolist() == [1, 3, 0, 2]
    axes = style.new_figure(3, 3).subplots()
    draw_heat_map(axes, M)
    assert np.allclose(np.asarray(axes.images[0].get_array()), M)


def test_counterparts_have_like_ranks() -> None:
    """Three base nodes and two motif nodes each; base node 1 of G1 and base node 2 of G2 are left
    alone.
    """
    matches = torch.zeros(5, 5)
    for row, column in ((0, 4), (2, 0), (3, 1), (4, 3)):
        matches[row, column] = 1
    motif1 = torch.tensor([False, False, False, True, True])
    motif2 = torch.tensor([False, True, False, True, False])
    rows, columns = matched_orders(Alignment(matches), motif1, motif2)
    assert rows.tolist() == [0, 2, 1, 3, 4]
    assert columns.tolist() == [4, 0, 2, 1, 3]
    axes = style.new_figure(3, 3).subplots()
    draw_heat_map(axes, matches, motif1, motif2)
    assert np.array_equal(np.asarray(axes.images[0].get_array()), np.diag([1, 1, 0, 1, 1]))
    rows, columns = matched_orders(Alignment(matches), None, None)
    assert rows.tolist() == [0, 2, 3, 4, 1]
    assert columns.tolist() == [4, 0, 1, 3, 2]
