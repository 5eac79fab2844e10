"""Parts of pages that are made from the source."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from generated import MAKERS, MARK, filled, names, public_names, with_downloads

import smixup

DOCS = Path(__file__).parents[2] / "docs"


def test_marks_are_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAKERS, "thing", lambda: "made\n")
    text = "# Title\n\n<!-- generated: thing -->\n\nMore; <!-- generated: thing --> stays.\n"
    assert filled(text) == "# Title\n\nmade\n\n\nMore; <!-- generated: thing --> stays.\n"


def test_every_maker_has_a_place_and_every_mark_a_maker() -> None:
    marks = [mark for path in DOCS.glob("*.md") for mark in MARK.findall(path.read_text())]
    assert sorted(marks) == sorted(MAKERS)


def test_links_to_examples_hand_them_out() -> None:
    text = "see [`own.py`](../examples/own.py) and [page](../docs/page.md)"
    assert (
        with_downloads(text)
        == "see {download}`own.py <../examples/own.py>` and [page](../docs/page.md)"
    )


def test_every_public_name_is_listed_under_a_name_that_exists() -> None:
    listed = dict(public_names())
    assert {*listed, "__version__", "nn"} == set(smixup.__all__)
    for name, full in listed.items():
        module, _, attribute = full.rpartition(".")
        assert getattr(import_module(module), attribute) is getattr(smixup, name)


def test_the_table_of_names_has_a_sentence_for_each() -> None:
    rows = re.findall(r"^\| \{py:obj\}`(\w+) <[\w.]+>` \| (.+) \|$", names(), re.MULTILINE)
    assert [name for name, _ in rows] == sorted(dict(public_names()), key=str.casefold)
