"""Text files of publishers as one kind of text, whatever program wrote them."""

from __future__ import annotations

from pathlib import Path

MARK = b"\xef\xbb\xbf"
"""What some programs put before UTF-8."""


def normalise(source: Path, target: Path) -> None:
    """Copy a text without a mark at its beginning, with lines that end in a newline alone, and with
    one at its end; of a large file, a line at a time is in memory.
    """
    with source.open("rb") as lines, target.open("wb") as file:
        for place, line in enumerate(lines):
            plain = line.removeprefix(MARK) if place == 0 else line
            plain = plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            file.write(plain if plain.endswith(b"\n") or not plain else plain + b"\n")
