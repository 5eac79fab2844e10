"""A pair goes through Eq. (4) and (5) and every step is drawn and labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from smixup.lab.figures.mixed_pair import MixedPair, draw_assignment, draw_mixed_pair, label_text


def test_the_pair_is_mixed_as_the_equations_say(pair: MixedPair) -> None:
    carried = pair.assignment @ pair.adj2 @ pair.assignment.T
    carried.fill_diagonal_(0)
    assert torch.allclose(pair.aligned, carried, atol=1e-5)
    assert torch.allclose(pair.mixed, 0.75 * pair.adj1 + 0.25 * carried, atol=1e-5)
    assert torch.allclose(pair.y, 0.75 * pair.y1 + 0.25 * pair.y2)


def test_panels_share_the_layout_of_the_first_graph(pair: MixedPair) -> None:
    figure = draw_mixed_pair(pair, ("cycle", "house", "crane"))
    first, second, aligned, mix = figure.axes
    places = [
        np.asarray(axes.collections[1].get_offsets()) for axes in (first, second, aligned, mix)
    ]
    assert np.array_equal(places[0], places[2])
    assert np.array_equal(places[0], places[3])
    assert len(places[1]) == len(pair.adj2)
    assert "λ = 0.75" in mix.get_title()
    assert "0.75 " in mix.get_title()
    assert "0.25 " in mix.get_title()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "motif node",
        "base node",
    ]


def test_data_without_a_motif_is_drawn_too(pair: MixedPair) -> None:
    plain = replace(pair, motif1=None, motif2=None)
    assert not draw_mixed_pair(plain).legends
    assert draw_assignment(plain).axes


def test_labels_in_words() -> None:
    assert label_text(torch.tensor([0.0, 1.0]), ("a", "b")) == "b"
    assert label_text(torch.tensor([0.3, 0.7])) == "0.70 class 1 + 0.30 class 0"
