"""The picture of the case study: panels, shares, one layout."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from matplotlib.container import BarContainer

from smixup.app.pictures.case_study import draw_case_study
from smixup.app.studies.case_study import CaseStudy, MotifShare, pairs_of_one_class
from smixup.app.studies.match_quality import OURS, PUBLISHED
from smixup.app.studies.mixed_pair import MixedPair
from smixup.graphs import Graphs
from smixup.matching import Identity, RandomOrder


@pytest.fixture
def study(motif_graphs: Graphs) -> CaseStudy:
    left, right = pairs_of_one_class(motif_graphs, 1, 0)
    rows = [
        MotifShare("random-order", 0.1, 0.05, 0.15, 0.0, 0.1, 0.2),
        MotifShare("uniform", 0.2, 0.1, 0.3, 0.2, 1.0, None),
        MotifShare(PUBLISHED, 0.3, 0.2, 0.4, 0.3, 0.9, 0.7),
        MotifShare(OURS, 0.6, 0.5, 0.7, 0.95, 0.5, 0.5),
    ]
    matchers = {"random-order": RandomOrder(), OURS: Identity()}
    shown = {name: MixedPair.of(each, left, right, 0.25) for name, each in matchers.items()}
    return CaseStudy(0, 200, rows, shown)


def test_g1_and_the_mixes_share_a_layout(study: CaseStudy) -> None:
    first, second, random, ours, _ = draw_case_study(study).axes
    places = [
        np.asarray(axes.collections[1].get_offsets()) for axes in (first, second, random, ours)
    ]
    assert np.array_equal(places[0], places[2])
    assert np.array_equal(places[0], places[3])
    assert len(places[1]) == study.shown[OURS].right.num_nodes
    assert first.get_title().splitlines()[1] in ("cycle", "house", "crane")
    assert random.get_title() == "random order, λ = 0.25\n0 % of G2's motif kept"
    assert ours.get_title() == "S-Mixup, λ = 0.25\n95 % of G2's motif kept"


def test_a_quick_fit_is_said_in_the_picture(study: CaseStudy) -> None:
    *_, ours, shares = draw_case_study(replace(study, fit="quick")).axes
    assert ours.get_title().startswith("S-Mixup (quick fit), λ")
    assert shares.get_yticklabels()[-1].get_text() == "S-Mixup (quick fit)"
    *_, ours, _ = draw_case_study(replace(study, fit=None)).axes
    assert ours.get_title().startswith("S-Mixup, λ")


def test_shares_are_bars_with_intervals(study: CaseStudy) -> None:
    figure = draw_case_study(study)
    axes = figure.axes[-1]
    bars = next(each for each in axes.containers if isinstance(each, BarContainer))
    assert [bar.get_width() for bar in bars] == pytest.approx([10, 20, 30, 60])
    assert [tick.get_text() for tick in axes.get_yticklabels()][::3] == [
        "random order",
        "S-Mixup",
    ]
    assert [text.get_text() for text in axes.texts] == ["10.0 %", "20.0 %", "30.0 %", "60.0 %"]
    assert "200 held-out pairs" in axes.get_xlabel()
    assert axes.get_xlim()[1] > 100
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == [
        *("motif node", "base node", "edge of weight 1.5"),
        *("edge of weight 1", "edge of weight 0.25"),
        "matched nodes",
    ]


def test_the_legend_names_the_rings_of_any_panel(study: CaseStudy) -> None:
    pair = study.shown[OURS]
    few = pair.right.subgraph(torch.arange(pair.right.num_nodes) < 3)
    alone = MixedPair.of(Identity(partial=True), pair.left, few, 0.25)
    for name in study.shown:
        figure = draw_case_study(replace(study, shown=study.shown | {name: alone}))
        names = [text.get_text() for text in figure.legends[0].get_texts()]
        assert names.count("no counterpart in G2") == 1


def test_no_interval_reaches_beyond_nothing_or_the_whole(study: CaseStudy) -> None:
    rows = [replace(study.rows[0], mean=0.01, low=-0.02, high=0.04)]
    rows += [replace(row, mean=0.97, low=0.9, high=1.04) for row in study.rows[1:]]
    figure = draw_case_study(replace(study, rows=rows))
    figure.canvas.draw()
    axes = figure.axes[-1]
    for text in axes.texts:
        assert text.get_window_extent().x1 < figure.bbox.x1
    bars = next(each for each in axes.containers if isinstance(each, BarContainer))
    _, _, (whiskers,) = bars.errorbar.lines
    drawn = [tuple(ends[:, 0]) for ends in whiskers.get_segments()]
    assert drawn[0] == pytest.approx((0, 4)) and drawn[1] == pytest.approx((90, 100))


def test_nodes_are_hollow_by_the_alignment_of_their_panel(study: CaseStudy) -> None:
    first, _, random, ours, _ = draw_case_study(study).axes
    for axes, name in ((first, OURS), (ours, OURS), (random, "random-order")):
        widths = np.asarray(axes.collections[1].get_linewidth())
        alone = ~study.shown[name].alignment.matched1.numpy()
        assert np.array_equal(widths > 0, alone)
