"""Gains against labels: every estimate is drawn where it belongs."""

from __future__ import annotations

import pytest
from matplotlib.container import ErrorbarContainer

from smixup.app.evidence.estimate import Estimate
from smixup.app.pictures.gain_curve import Gain, draw_gains


def estimates(*means: float) -> dict[int, Estimate]:
    sizes = (25, 50, 100)
    return {
        size: Estimate.student(mean, 0.5, 19, 20) for size, mean in zip(sizes, means, strict=False)
    }


def test_means_and_intervals() -> None:
    figure = draw_gains(
        {
            "MUTAG": [
                Gain("ours", "GCN", estimates(1.0, -2.0)),
                Gain("ours", "GIN", estimates(3.0)),
            ],
            "NCI1": [Gain("other", "GIN", estimates(0.0, 1.0, 2.0))],
        }
    )
    mutag, nci1, empty = figure.axes
    assert (mutag.get_title(), nci1.get_title()) == ("MUTAG", "NCI1")
    assert not empty.axison
    bars = [each for each in mutag.containers if isinstance(each, ErrorbarContainer)]
    line, _, (reach,) = bars[0].lines
    assert line is not None
    assert list(line.get_ydata()) == [1.0, -2.0]
    low, high = reach.get_segments()[0][:, 1]
    expected = estimates(1.0)[25]
    assert (low, high) == pytest.approx((expected.low, expected.high))
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert labels == {"ours, GCN", "ours, GIN", "other, GIN"}


def test_an_estimate_without_error_has_no_bar() -> None:
    figure = draw_gains({"MUTAG": [Gain("ours", "GCN", {50: Estimate.unknown(1.0, 1)})]})
    (bar,) = figure.axes[0].containers
    assert isinstance(bar, ErrorbarContainer)
    segment = bar.lines[2][0].get_segments()[0]
    assert segment[0, 1] == segment[1, 1] == 1.0
