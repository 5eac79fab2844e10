"""Every step of a mixed pair is drawn and labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from smixup.app.pictures.mixed_pair import draw_assignment, draw_mixed_pair, label_text
from smixup.app.studies.mixed_pair import MixedPair
from smixup.graphs import Graphs
from smixup.matching import Identity


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


def test_a_one_to_one_pair_has_links_rings_and_pale_nodes(motif_graphs: Graphs) -> None:
    order = motif_graphs.sizes.argsort()
    small, large = motif_graphs[order[:1]], motif_graphs[order[-1:]]
    matcher = Identity(partial=True)
    for left, right, words in (
        (large, small, "no counterpart in G2"),
        (small, large, "no place in G1: dropped"),
    ):
        pair = MixedPair.of(matcher, left, right)
        figure = draw_mixed_pair(pair)
        assert len(figure.artists) == small.num_nodes
        legend = [text.get_text() for text in figure.legends[0].get_texts()]
        assert legend == ["motif node", "base node", "matched nodes", words]
        first, second, aligned, mix = figure.axes
        rings = [np.asarray(axes.collections[1].get_linewidth()) for axes in (first, aligned, mix)]
        faces = np.asarray(second.collections[1].get_facecolor())
        assert all(((each > 0) == ~pair.alignment.matched1.numpy()).all() for each in rings)
        assert ((faces[:, 3] < 1) == ~pair.alignment.matched2.numpy()).all()
        assert draw_assignment(pair).axes[0].get_title() == "one-to-one assignment M"


def test_a_soft_pair_is_called_soft_and_has_no_links(pair: MixedPair) -> None:
    assert draw_assignment(pair).axes[0].get_title() == "soft assignment M"
    assert draw_mixed_pair(pair).artists == []
