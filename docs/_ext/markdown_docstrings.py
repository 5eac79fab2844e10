"""Docstrings of this package are Markdown, and autodoc reads reStructuredText: what they write
differently, fenced and indented code and tables, is turned into what it knows.

Fields that are told of together, `low, high: ...`, would become one field `high` of a type `low,`.
They lose their blanks while Sphinx reads them, and get them back on the page. What stands before a
colon in the first line about a property would be its type, and a default that is no Python, such as
`<factory>`, would tear a signature at every comma.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from plain_types import plain

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

FENCE = "```"
ROW = "|"
CODE_INDENT = 4
BEFORE_NAPOLEON = 100
WITH_TYPES = ("attribute", "data", "property")
NO_TYPE = ("..", "")
"""An empty comment: the first line that is not empty is all that napoleon looks at for a type."""
TOGETHER = re.compile(r"^( +)(\w+(?:, \w+)+):(?= |$)")

Reader = Callable[[Sequence[str], int], tuple[list[str], int]]


def converted(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a docstring as reStructuredText."""
    place = 0
    while place < len(lines):
        reader = _reader_at(lines, place)
        if reader is None:
            yield TOGETHER.sub(_without_blanks, lines[place])
            place += 1
        else:
            block, place = reader(lines, place)
            yield from ("", *block, "")


def fenced(lines: Sequence[str], start: int) -> tuple[list[str], int]:
    """Return the code between two fences as a block, and the line behind it."""
    end = next(
        (each for each in range(start + 1, len(lines)) if _bare(lines[each]).startswith(FENCE)),
        len(lines),
    )
    language = _bare(lines[start]).removeprefix(FENCE).strip() or "text"
    return _code(lines[start + 1 : end], language, _indent(lines[start])), end + 1


def indented(lines: Sequence[str], start: int) -> tuple[list[str], int]:
    """Return lines that stand in by four as a block of code, and the line behind them."""
    end = start
    while end < len(lines) and (_indent(lines[end]) >= CODE_INDENT or not lines[end].strip()):
        end += 1
    return _code(lines[start:end], "text", 0), end


def table(lines: Sequence[str], start: int) -> tuple[list[str], int]:
    """Return a table as a list of rows, and the line behind it."""
    end = start
    while end < len(lines) and _bare(lines[end]).startswith(ROW):
        end += 1
    margin = " " * _indent(lines[start])
    rows = [_bare(line).strip(ROW).split(ROW) for line in lines[start:end]]
    block = [f"{margin}.. list-table::", f"{margin}   :header-rows: 1", ""]
    for row in (rows[0], *rows[2:]):
        for place, cell in enumerate(row):
            block.append(f"{margin}   {'*' if place == 0 else ' '} - {cell.strip()}")
    return block, end


def _reader_at(lines: Sequence[str], place: int) -> Reader | None:
    bare = _bare(lines[place])
    if bare.startswith(FENCE):
        return fenced
    if bare.startswith(ROW) and place + 1 < len(lines) and _bare(lines[place + 1])[:2] == "|-":
        return table
    if _indent(lines[place]) >= CODE_INDENT and _is_paragraph_before(lines, place):
        return indented
    return None


def _is_paragraph_before(lines: Sequence[str], place: int) -> bool:
    """Tell whether an empty line and before it a line at the margin stand before a line: then what
    stands in is code, and not an entry of a section such as Args.
    """
    before = [line for line in lines[:place] if line.strip()]
    return bool(before) and not lines[place - 1].strip() and _indent(before[-1]) == 0


def _without_blanks(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2].replace(' ', '')}:"


def _code(lines: Sequence[str], language: str, margin: int) -> list[str]:
    inside = [f"   {line}" if line.strip() else "" for line in lines]
    return [f"{' ' * margin}.. code-block:: {language}", "", *inside]


def _bare(line: str) -> str:
    return line.lstrip()


def _indent(line: str) -> int:
    return len(line) - len(_bare(line))


def process(
    app: object, what: str, name: str, object_: object, options: object, lines: list[str]
) -> None:
    """Change the lines of a docstring in place, as autodoc asks."""
    lines[:] = converted(lines)
    if what in WITH_TYPES:
        lines[:0] = NO_TYPE


def readable_defaults(
    app: object, what: str, name: str, object_: object, options: object, told: str | None, to: str
) -> tuple[str | None, str]:
    """Return a signature that Sphinx can read as Python, and a reader as well: the range of a
    number is told behind it.
    """
    return told and plain(told.replace("<factory>", "...")), to


def spaced(app: object, doctree: nodes.document) -> None:
    """Give fields that are told of together their blanks back."""
    from docutils.nodes import Text
    from sphinx.addnodes import literal_strong

    for name in doctree.findall(literal_strong):
        name[:] = [Text(name.astext().replace(",", ", "))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to autodoc before napoleon does."""
    app.connect("autodoc-process-docstring", process, priority=BEFORE_NAPOLEON)
    app.connect("autodoc-process-signature", readable_defaults)
    app.connect("doctree-read", spaced)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
