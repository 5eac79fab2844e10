"""One name and one colour per method, and colours that can be seen."""

from __future__ import annotations

import pytest
from app.contrast import contrast

from smixup.app.pages.page_style import DARK, LIGHT
from smixup.app.pictures.method_look import (
    LOOKS,
    OTHER_NAMES,
    SPARE,
    look_of,
    looks_of,
    named_in,
    title_of,
)
from smixup.app.runs.registry import METHODS
from smixup.app.studies.match_quality import CONTROLS, OURS, PUBLISHED

GROUNDS = [
    part.split(":")[1].strip()
    for theme in (LIGHT, DARK)
    for part in theme.split(";")
    if "ground" in part
]


@pytest.mark.parametrize("ground", GROUNDS)
def test_every_colour_stands_out_on_light_and_dark(ground: str) -> None:
    for colour in (*(look.colour for look in LOOKS.values()), *SPARE):
        assert contrast(colour, ground) >= 3, colour


def test_no_two_methods_look_alike() -> None:
    looks = [(look.colour, look.dash) for look in LOOKS.values()]
    assert len(set(looks)) == len(looks)
    first = [LOOKS[name].colour for name in ("Vanilla", "S-Mixup", "random order", "uniform")]
    assert len({*first, LOOKS["paper's cosine"].colour, LOOKS["random one-to-one"].colour}) == 6


def test_every_method_and_matcher_that_pages_show_has_a_look() -> None:
    for name in (*METHODS, OURS, PUBLISHED, *CONTROLS, "random-alignment"):
        assert title_of(name) in LOOKS, name


def test_names_in_any_case_and_spelling_are_one_method() -> None:
    assert {title_of(each) for each in ("s-mixup", "S-Mixup", "graph-matcher")} == {"S-Mixup"}
    assert {title_of(each) for each in ("Random order", "random-order")} == {"random order"}
    assert set(OTHER_NAMES.values()) <= LOOKS.keys()
    assert all(name == name.lower() for name in OTHER_NAMES)


def test_variants_take_colours_that_are_left() -> None:
    names = ["S-Mixup", "as published", "+ one-to-one", "+ balanced"]
    looks = looks_of(names)
    assert list(looks) == names
    assert len({look.colour for look in looks.values()}) == 4
    assert looks["+ balanced"].name == "+ balanced"
    many = looks_of([f"variant {number}" for number in range(20)])
    assert len({(look.colour, look.dash) for look in many.values()}) == 20
    assert look_of("unheard of").colour == SPARE[0]


def test_sentences_say_what_methods_are_called() -> None:
    said = "cannot tell whether random-alignment and s-mixup help: fgw-mixup, vanilla-like"
    assert named_in(said) == (
        "cannot tell whether random one-to-one and S-Mixup help: FGWMixup, vanilla-like"
    )
