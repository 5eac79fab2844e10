"""What commands print: tables and sentences for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    words: int = 1,
    title: str = "",
    caption: str = "",
) -> None:
    """Print a table: the first columns hold words, the others numbers, which end on the right.
    Cells are folded where the terminal is narrow, and never cut.
    """
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    print_text(*filter(None, (title, table, caption)))


def print_text(*parts: Any, style: str | None = None) -> None:
    """Print sentences and tables, broken at the width of the terminal."""
    from rich.console import Console

    for part in parts:
        Console(highlight=False, markup=False).print(part, style=style)


def print_json(value: Any) -> None:
    """Print a value as JSON on one line, with null for numbers that JSON cannot write."""
    from smixup.app.runs.words import finite

    typer.echo(json.dumps(finite(value)))


def print_notes(*notes: str) -> None:
    """Print what there is to say on standard error."""
    for note in notes:
        typer.echo(note, err=True)
