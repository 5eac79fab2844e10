"""Text files of publishers as one kind of text, whatever program wrote them."""

from __future__ import annotations

from pathlib import Path

from smixup.datasets.text import lines_of

MARK = b"\xef\xbb\xbf"
"""What some programs put before UTF-8."""


def normalise(source: Path, target: Path) -> None:
    """Copy a text without a mark at its beginning, with lines that end in a newline alone, and
    without blank ones; of a large file, a line at a time is in memory.
    """
    with source.open("rb") as stream, target.open("wb") as file:
        for place, line in enumerate(lines_of(stream, source)):
            plain = line.removeprefix(MARK) if place == 0 else line
            parts = plain.replace(b"\r", b"\n").split(b"\n")
            file.writelines(part + b"\n" for part in parts if part.strip())
