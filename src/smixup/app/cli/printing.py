"""Tables on standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    words: int = 1,
    narrow: bool = False,
    title: str | None = None,
    caption: str | None = None,
) -> None:
    """Print a table: the first columns hold words, the others numbers, which end on the right.

    Args:
        columns: their headings.
        rows: the cells of each row.
        words: how many columns hold words.
        narrow: leave out the lines between columns, and fold cells rather than cut them, between
            words if the terminal is wide enough.
        title: above the table.
        caption: below it.
    """
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    cells = [columns, *rows]
    console = Console()
    widths = _widths(cells, console.width - 2 * len(columns)) if narrow else None
    style: dict[str, Any] = {"box": SIMPLE, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, caption=caption, **(style if narrow else {}))
    for place, name in enumerate(columns):
        table.add_column(
            name,
            justify="left" if place < words else "right",
            overflow="fold" if narrow else "ellipsis",
            width=widths[place] if widths else None,
        )
    for row in cells[1:]:
        table.add_row(*row)
    console.print(table)


def _widths(cells: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return widths of columns that break no word, and make rows as low as they can be; None if
    there is no room for that.

    Args:
        cells: rows of cells.
        width: room for all columns together.
    """
    columns = list(zip(*cells, strict=True))
    found = [
        max((len(word) for cell in each for word in cell.split()), default=1) for each in columns
    ]
    if sum(found) > width:
        return None
    while steps := [
        (*step, place)
        for place, column in enumerate(columns)
        if (step := _step(column, found[place], width - sum(found)))
    ]:
        _, wider, place = min(steps)
        found[place] = wider
    return found


def _step(column: Sequence[str], width: int, spare: int) -> tuple[float, int] | None:
    """Return the next width at which the cells of a column take fewer lines, behind its price for
    each line; None if that takes more than the spare.
    """
    lines = _lines(column, width)
    for wider in range(width + 1, width + spare + 1):
        if (saved := lines - _lines(column, wider)) > 0:
            return (wider - width) / saved, wider
    return None


def _lines(column: Sequence[str], width: int) -> int:
    """Return how many lines the cells of a column take together."""
    return sum(len(wrap(cell, width)) for cell in column)
