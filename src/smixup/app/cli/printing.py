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
    title: str | None = None,
    caption: str | None = None,
) -> None:
    """Print a table: the first columns hold words, the others numbers, which end on the right.
    Cells are folded where the terminal is narrow, and never cut.
    """
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False, highlight=False)
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    if title:
        console.print(title, style="italic")
    console.print(table)
    if caption:
        console.print(caption, style="italic")


def print_text(text: str, style: str | None = None) -> None:
    """Print a sentence, broken at the width of the terminal."""
    from rich.console import Console

    Console(highlight=False, markup=False).print(text, style=style)


def print_json(value: Any) -> None:
    """Print a value as JSON on one line, with null for numbers that JSON cannot write."""
    from smixup.app.runs.words import finite

    typer.echo(json.dumps(finite(value)))


def print_notes(notes: Iterable[str]) -> None:
    """Print what there is to say of data, on standard error."""
    for note in notes:
        typer.echo(note, err=True)
