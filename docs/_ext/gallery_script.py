"""A script of the gallery: Markdown and code in turn.

Its docstring is the beginning of the page, title first. A line `# %% Title` begins a section;
comments that follow it are text, the rest is code.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

MARK = "# %%"
ENTRY = re.compile(r"^(gallery/\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A section of a script.

    Attributes:
        title: its heading, empty for the first.
        text: Markdown.
        code: Python.
        line: where the code begins in the file, counted from 1.
    """

    title: str
    text: str
    code: str
    line: int


def cells_of(source: str) -> list[Cell]:
    """Cut a script into its sections; the first has the docstring as its text."""
    lines = source.splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith(MARK)]
    begin = _docstring_end(source)
    ends = [*starts, len(lines)]
    first = Cell("", introduction(source), *_code(lines, begin, ends[0]))
    later = zip(starts, ends[1:], strict=True)
    return [first, *(_cell(lines, start, end) for start, end in later)]


def introduction(source: str) -> str:
    """Return the docstring of a script."""
    return ast.get_docstring(ast.parse(source)) or ""


def title_of(source: str) -> str:
    """Return the title of a script's page."""
    return introduction(source).partition("\n")[0].removeprefix("# ").strip()


def first_paragraph(source: str) -> str:
    """Return the paragraph behind the title on one line."""
    paragraphs = introduction(source).split("\n\n")
    return " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""


def scripts(overview: Path) -> list[Path]:
    """Return the scripts that a page lists in its table of contents, in that order."""
    listed = ENTRY.findall(overview.read_text(encoding="utf-8"))
    return [overview.parent / f"{name}.py" for name in listed]


def _cell(lines: list[str], start: int, end: int) -> Cell:
    title = lines[start].removeprefix(MARK).strip()
    behind = start + 1
    while behind < end and lines[behind].startswith("#"):
        behind += 1
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[start + 1 : behind])
    return Cell(title, text, *_code(lines, behind, end))


def _code(lines: list[str], begin: int, end: int) -> tuple[str, int]:
    """Return the code between two lines without empty lines around it, and where it begins."""
    while begin < end and not lines[begin].strip():
        begin += 1
    return "\n".join(lines[begin:end]).rstrip(), begin + 1


def _docstring_end(source: str) -> int:
    body = ast.parse(source).body
    return (body[0].end_lineno or 0) if body and ast.get_docstring(ast.parse(source)) else 0
