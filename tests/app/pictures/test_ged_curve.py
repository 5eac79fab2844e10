"""The curve of the normalised edit distance shows what was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from smixup.analysis.interval import Interval, Verdict
from smixup.analysis.mixup_error import MixupError, PairDistances
from smixup.analysis.theorem import TheoremRecord
from smixup.app.pictures import style
from smixup.app.pictures.ged_curve import PALE, by_ratio, draw_ged
from smixup.edits.edit_distance import EditDistance

ONE = EditDistance(1.0, 1.0, True, ())
PAIR = PairDistances(ONE, ONE, ONE, 1.0)


def record(
    lam: float, epsilon: float, bound: float = 0.1, verdict: Verdict = Verdict.HOLDS
) -> TheoremRecord:
    error = MixupError(
        lam, epsilon, Interval(0, 1), Interval(bound, bound), verdict, verdict, verdict
    )
    return TheoremRecord("matcher", "costs", 0, 1, PAIR, error)


RECORDS = [
    record(1.0, 1.0, 0.0),
    record(0.5, 0.4),
    record(0.5, 0.8, 0.3, Verdict.FAILS),
    record(0.5, float("nan")),
]


def test_mean_band_diagonal_and_bound() -> None:
    axes = draw_ged(RECORDS).axes[0]
    below, above, diagonal, mean = (line.get_data() for line in axes.lines)
    assert np.allclose(mean, [[0.5, 1.0], [0.6, 1.0]])
    assert np.allclose(diagonal, [[0, 1], [0, 1]])
    assert np.allclose([below[1], above[1]], [[0.3, 1.0], [0.7, 1.0]])
    corners = axes.collections[0].get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == pytest.approx((0.44, 1.0))
    assert axes.texts[0].get_text() == "33 % break\nthe bound"


def test_everything_is_labelled() -> None:
    figure = draw_ged(RECORDS)
    axes = figure.axes[0]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == (
        "matcher",
        "ratio λ",
        "costs\nnormalised distance ε",
    )
    assert len(figure.legends[0].get_texts()) == 4


def test_mixes_without_epsilon_are_left_out() -> None:
    assert [(lam, len(group)) for lam, group in by_ratio(RECORDS).items()] == [(0.5, 2), (1.0, 1)]


def test_a_panel_for_every_matcher_and_cost() -> None:
    names = [(matcher, costs) for matcher in ("ours", "uniform") for costs in ("squared", "metric")]
    records = [
        replace(each, matcher=matcher, costs=costs) for each in RECORDS for matcher, costs in names
    ]
    assert len(draw_ged(records).axes) == 4
    assert len(draw_ged(records[:2]).axes) == 2


def test_a_legend_of_several_matchers_has_the_colour_of_none() -> None:
    others = [replace(each, matcher="other") for each in RECORDS]
    of_one, of_two = (draw_ged(each).legends[0] for each in (RECORDS, [*RECORDS, *others]))
    ink = to_rgba(style.INK)
    mean, band = of_two.legend_handles[:2]
    assert to_rgba(mean.get_color()) == ink
    assert band.get_facecolor() == (*ink[:3], PALE)
    assert to_rgba(of_one.legend_handles[0].get_color()) != ink
