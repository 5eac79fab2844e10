"""Every step of a mixed pair is drawn and labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from smixup.lab.figures.mixed_pair import draw_assignment, draw_mixed_pair, label_text
from smixup.lab.studies.mixed_pair import MixedPair


def test_panels_share_the_layout_of_the_first_graph(pair: MixedPair) -> None:
    figure = draw_mixed_pair(pair, ("cycle", "house", "crane"))
    first, second, aligned, mix = figure.axes
    places = [
        np.asarray(axes.collections[1].get_offsets()) for axes in (first, second, aligned, mix)
    ]
    assert np.array_equal(places[0], places[2])
    assert np.array_equal(places[0], places[3])
    assert len(places[1]) == pair.right.num_nodes
    assert "λ = 0.75" in mix.get_title()
    assert "0.75 " in mix.get_title()
    assert "0.25 " in mix.get_title()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "motif node",
        "base node",
    ]


def test_data_without_a_motif_is_drawn_too(pair: MixedPair) -> None:
    left, right = (graph.without_attributes() for graph in (pair.left, pair.right))
    plain = replace(pair, left=left, right=right)
    assert not draw_mixed_pair(plain).legends
    assert draw_assignment(plain).axes


def test_labels_in_words() -> None:
    assert label_text(torch.tensor([0.0, 1.0]), ("a", "b")) == "b"
    assert label_text(torch.tensor([0.3, 0.7])) == "0.70 class 1 + 0.30 class 0"
