"""Curves show mean and range over the runs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from smixup.app.pictures.learning_curves import Series, draw_curve
from smixup.errors import UsageError

RUNS = Series("one", [{"test": [0.0, 0.5]}, {"test": [1.0, 0.5]}])
SINGLE = Series("two", [{"test": [0.2, 0.4]}])


def test_mean_and_band() -> None:
    figure = draw_curve([RUNS, SINGLE], "test", "test accuracy")
    axes = figure.axes[0]
    epochs, mean = axes.lines[0].get_data()
    assert np.allclose(epochs, [1, 2])
    assert np.allclose(mean, [0.5, 0.5])
    corners = axes.collections[0].get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == (0.0, 1.0)
    assert np.allclose(axes.lines[1].get_ydata(), [0.2, 0.4])


def test_everything_is_labelled_and_lines_differ_without_colour() -> None:
    figure = draw_curve([RUNS, SINGLE], "test", "test accuracy")
    axes = figure.axes[0]
    assert (axes.get_title(), axes.get_xlabel()) == ("test accuracy", "epoch")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["one", "two"]
    assert axes.get_yscale() == "linear"
    assert draw_curve([RUNS], "test", "", "log").axes[0].get_yscale() == "log"
    known = [Series(name, RUNS.curves) for name in ("vanilla", "S-Mixup", "random order")]
    lines = draw_curve(known, "test", "test accuracy").axes[0].lines
    assert len({line.get_linestyle() for line in lines}) == 3
    assert [line.get_label() for line in lines] == ["Vanilla", "S-Mixup", "random order"]


def test_ticks_are_plain_numbers() -> None:
    losses = Series("vanilla", [{"test": [0.3 + 2 / epoch for epoch in range(1, 101)]}])
    axes = draw_curve([losses], "test", "test loss", "log").axes[0]
    axes.get_figure().canvas.draw()
    written = [each.get_text() for each in axes.get_yticklabels(which="both") if each.get_text()]
    assert {"0.5", "1", "2"} <= set(written)
    assert all(re.fullmatch(r"[\d.]+", each) for each in written), "no powers of ten"
    low, high = axes.get_xlim()
    epochs = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert epochs == [0, 20, 40, 60, 80, 100]
    shares = draw_curve([RUNS], "test", "accuracy", shares=True).axes[0]
    shares.get_figure().canvas.draw()
    assert shares.get_yticklabels()[-1].get_text().endswith(" %")


def test_runs_of_different_length_are_an_error() -> None:
    with pytest.raises(UsageError, match=r"one length, not \[1, 2\]"):
        draw_curve([Series("odd", [{"test": [0.0]}, {"test": [0.0, 1.0]}])], "test", "")


def test_an_epoch_without_a_number_has_the_one_before() -> None:
    nan = np.nan
    runs = Series("few", [{"test": [0.2, nan, 0.4, nan, nan]}, {"test": [0.4, 0.6, nan, 0.8, nan]}])
    carried = [[0.2, 0.2, 0.4, 0.4, 0.4], [0.4, 0.6, 0.6, 0.8, 0.8]]
    assert runs.values("test").tolist() == carried
    mean = draw_curve([runs], "test", "").axes[0].lines[0].get_ydata()
    assert np.allclose(mean, [0.3, 0.4, 0.5, 0.6, 0.6])
