"""What commands show: results on standard output, progress and notes on standard error."""

from __future__ import annotations

import json
import os
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1, title: str = ""
) -> None:
    """Print a table: the first columns hold words, the others numbers, which end on the right."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    for part in filter(None, (title, table)):
        Console(highlight=False, markup=False).print(part)


def print_json(value: Any) -> None:
    """Print a value as JSON on one line, with null for numbers that JSON cannot write."""
    from smixup.app.words import finite

    typer.echo(json.dumps(finite(value)))


def print_notes(*notes: str) -> None:
    """Print on standard error."""
    for note in notes:
        typer.echo(note, err=True)


def open_page(page: Path, wanted: bool) -> None:
    """Open a page in the browser if that is wanted; where there is none, say so."""
    if wanted and not webbrowser.open(page.resolve().as_uri()):
        print_notes(f"no browser was found to open {page} with.")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
