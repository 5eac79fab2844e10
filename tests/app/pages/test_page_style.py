"""Colours of the pages can be read, light and dark."""

from __future__ import annotations

import re

import pytest
from app.contrast import contrast

from smixup.app.pages.explorer.page import ORIGINS_DARK, ORIGINS_LIGHT
from smixup.app.pages.page_style import COPY, DARK, LIGHT, NARROW
from smixup.app.pictures import style

THEMES = [(LIGHT, ORIGINS_LIGHT, style.INK), (DARK, ORIGINS_DARK, style.INK_ON_DARK)]


def colours(theme: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#\w+)", theme))


@pytest.mark.parametrize(("theme", "origins", "ink"), THEMES)
def test_text_has_four_and_a_half_to_one(theme: str, origins: str, ink: str) -> None:
    named = colours(theme)
    for text in ("ink", "soft", "mark"):
        for ground in ("ground", "box"):
            assert contrast(named[text], named[ground]) >= 4.5, (text, ground)
    assert contrast(ink, named["ground"]) >= 4.5, "writing in pictures"


@pytest.mark.parametrize(("theme", "origins", "ink"), THEMES)
def test_edges_stand_out_and_differ_by_origin(theme: str, origins: str, ink: str) -> None:
    named, edges = colours(theme), colours(origins)
    assert list(edges) == ["of-first", "of-second", "of-both"]
    for colour in edges.values():
        assert min(contrast(colour, named[ground]) for ground in ("ground", "box")) >= 4.5
    assert len(set(edges.values())) == 3


def test_the_script_and_the_rules_are_whole() -> None:
    assert "</" not in COPY, "it cannot end its element"
    assert "SCOPE" not in NARROW
    assert NARROW.count("{") == NARROW.count("}")
