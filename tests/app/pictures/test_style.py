"""Pictures repeat to the byte and leave matplotlib as it was."""

from __future__ import annotations

import sys
from io import BytesIO
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from app.contrast import contrast
from matplotlib.image import imread

from smixup.app.pictures import style


def drawn() -> style.Figure:
    with style.styled():
        figure = style.new_figure(2, 1)
        figure.subplots().plot([0, 1], [1, 0])
    return figure


def test_svg_is_an_element_that_repeats_to_the_byte() -> None:
    first = style.to_svg(drawn())
    assert ElementTree.fromstring(first).tag.endswith("svg")
    assert style.to_svg(drawn()) == first


def test_png_shows_the_line_on_a_transparent_ground() -> None:
    alpha = imread(BytesIO(style.to_png(drawn())))[..., 3]
    assert alpha.shape == (style.DOTS_PER_INCH, 2 * style.DOTS_PER_INCH)
    assert not alpha[[0, -1]].any()
    assert not alpha[:, [0, -1]].any()
    assert (alpha.max(), np.median(alpha)) == (1, 0)


def test_settings_are_as_before_and_no_global_state_is_touched() -> None:
    before = dict(mpl.rcParams)
    drawn()
    assert dict(mpl.rcParams) == before
    assert (
        "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
    )


@pytest.mark.parametrize("ground", ["#fdfdfb", "#16191d"])
def test_writing_and_marks_stand_out_on_light_and_dark(ground: str) -> None:
    ink = style.INK if ground == "#fdfdfb" else style.INK_ON_DARK
    assert contrast(ink, ground) >= 4.5
    for colour in (style.MOTIF, style.BASE, style.EDGE, *style.PALETTE[:4]):
        assert contrast(colour, ground) >= 2
