"""Foreign text is short, stands on one line, and obeys nobody."""

from __future__ import annotations

import pytest

from smixup.errors import SmixupError, UsageError
from smixup.shown import NAME, SENTENCE, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain name.csv", "plain name.csv"),
        ("größe 図", "größe 図"),
        ("a\x1b[31mb\x07", r"a\x1b[31mb\x07"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\ud800", r"\ud800"),
        ("a\u2028b", r"a\u2028b"),
        (7, "7"),
    ],
)
def test_what_cannot_be_printed_is_spelled_out(text: object, expected: str) -> None:
    assert shown(text) == expected


def test_the_middle_of_long_text_is_left_out() -> None:
    found = shown("begin" + "x" * 6000 + "end")
    assert len(found) == NAME
    assert found.startswith("begin")
    assert found.endswith("xend")
    assert "..." in found
    assert len(shown("\0" * 6000)) == NAME


@pytest.mark.parametrize("kind", [SmixupError, UsageError])
def test_every_error_is_one_short_line(kind: type[SmixupError]) -> None:
    told = str(kind("no file '\x1b[2J" + "n" * 9000 + "\n'."))
    assert told.isprintable()
    assert len(told) <= SENTENCE
    assert told.startswith(r"no file '\x1b[2Jnnn")
