"""Tables on standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        narrow: leave out the lines between columns, and fold words rather than cut them.
        title: above the table.
        caption: below it.
    """
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    style: dict[str, Any] = {"box": SIMPLE, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, caption=caption, **(style if narrow else {}))
    for place, name in enumerate(columns):
        table.add_column(
            name,
            justify="left" if place < words else "right",
            overflow="fold" if narrow else "ellipsis",
        )
    for row in rows:
        table.add_row(*row)
    Console().print(table)
