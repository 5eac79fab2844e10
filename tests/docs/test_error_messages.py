"""Error messages, found in the source."""

from __future__ import annotations

from pathlib import Path

import pytest
from error_messages import ANYTHING, Message, all_messages, anchors, page

import smixup

SOURCE = """
from smixup.base import AGAIN
from elsewhere import UNKNOWN

LIMIT = 7
LOW, HIGH = 1, "two"

class OwnError(UsageError):
    pass

def check(name, value, both, items):
    require_number("p", value, at_least=0, at_most=1)
    require(value in (1, 2), "kind", value, "1 or 2")
    if both:
        raise SmixupError(f"{name!r} has {len(items)} of {LIMIT}" + ": ask for less.")
    raise OwnError(f"between {LOW} and {HIGH}, {AGAIN}, {UNKNOWN}.")
    raise OwnError(f"{name} ({value}).")
    raise OwnError("left is wrong." if both else f"right is {value + 1}.")

def other(name):
    raise unknown_name("colour", name, COLOURS)
    raise SmixupError(sentence(name))
    raise ValueError("of Python")

def sentence(name):
    return f"no {name._own_name} here."
"""
BASE = """
AGAIN = 'once more'
class UsageError(SmixupError): ...
raise UsageError('not here.')
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "lab" / "cli").mkdir(parents=True)
    (tmp_path / "lab" / "cli" / "one.py").write_text(SOURCE)
    (tmp_path / "base.py").write_text(BASE)
    return tmp_path


def test_all_kinds_of_sentences_are_found(package: Path) -> None:
    found = all_messages(package)
    assert found[0] == Message("not here.", "base.py", True)
    assert [(each.text, each.usage) for each in found[1:]] == [
        ("p must be a finite number between 0 and 1, not ‹value›.", True),
        ("p must be between 0 and 1, not ‹value›.", True),
        ("kind must be 1 or 2, not ‹value›.", True),
        ("‹name› has ‹number› of 7: ask for less.", False),
        ("between 1 and two, once more, ‹UNKNOWN›.", True),
        ("left is wrong.", True),
        (f"right is {ANYTHING}.", True),
        (f"unknown colour ‹name›. Did you mean {ANYTHING}? Known: {ANYTHING}.", True),
        ("no ‹own name› here.", False),
    ]


def test_the_page_has_a_heading_for_every_package_and_an_address_for_every_sentence(
    package: Path,
) -> None:
    text = page(package)
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## smixup",
        "## smixup.app.cli",
    ]
    assert "- [left is wrong.]{#left-is-wrong} [`app/cli/one.py`](#left-is-wrong){.where}" in text


def test_a_sentence_about_a_range_stands_once_with_all_its_files(package: Path) -> None:
    text, other = "seed must be 0 or more.", "size must be 1 or more."
    ranges = [
        Message(text, "a.py", True),
        Message(other, "a.py", True),
        Message(text, "b.py", True),
    ]
    own, told = page(package, ranges).split("\n## Numbers outside their range\n\n")
    assert own == page(package)
    assert told.splitlines() == [
        "- [seed must be 0 or more.]{#seed-must-be-0-or-more} "
        "[`a.py`](#seed-must-be-0-or-more){.where} [`b.py`](#seed-must-be-0-or-more){.where}",
        "- [size must be 1 or more.]{#size-must-be-1-or-more} "
        "[`a.py`](#size-must-be-1-or-more){.where}",
    ]


def test_equal_beginnings_get_different_addresses() -> None:
    assert anchors(["no.", "no.", "No!"]) == ["no", "no-2", "no-3"]


def test_real_sentences_are_among_them() -> None:
    found = {each.text for each in all_messages(Path(smixup.__file__).parent)}
    assert len(found) > 400
    assert "these graphs have no known motif: use MOTIF." in found


def test_what_stands_between_backquotes_is_code(tmp_path: Path) -> None:
    source = "raise SmixupError('raise `a_b` to 1, or leave c_d out.')"
    (tmp_path / "one.py").write_text(source)
    assert "[raise `a_b` to 1, or leave c\\_d out.]{#" in page(tmp_path)
