"""Dots of paired differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.colors import to_hex

from smixup.app.pictures.method_look import LOOKS
from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.errors import UsageError

ROWS = [
    DotRow("s-mixup", [1.0, 2.0, 3.0], 2.0, 0.5, 3.5),
    DotRow("drop-edge", [-1.0], -1.0, -math.inf, math.inf),
]


def test_every_pair_is_a_dot_and_bounds_are_a_bar() -> None:
    axes = draw_dots(ROWS, "difference", 2.0).axes[0]
    dots = [np.asarray(each.get_offsets()) for each in axes.collections]
    assert [sorted(each[:, 0].tolist()) for each in dots] == [[1, 2, 3], [2], [-1], [-1]]
    bars = [line.get_xdata() for line in axes.lines[1:]]
    assert [list(bar) for bar in bars] == [[0.5, 3.5]], "nothing is known of the second"
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "S-Mixup\nn = 3",
        "DropEdge\nn = 1",
    ]
    colours = [to_hex(each.get_facecolor()[0]) for each in axes.collections[::2]]
    assert colours == [LOOKS[name].colour for name in ("S-Mixup", "DropEdge")]


@pytest.mark.parametrize(("higher", "words"), [(True, "better →"), (False, "← better")])
def test_the_better_side_is_named(higher: bool, words: str) -> None:
    assert draw_dots(ROWS, "difference", 2.0, higher).axes[0].get_xlabel() == words


def test_a_picture_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="one method"):
        draw_dots([], "difference", 2.0)
