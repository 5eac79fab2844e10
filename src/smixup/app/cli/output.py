"""What commands show: results on standard output, progress and notes on standard error; threads."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import typer

from smixup.errors import UsageError
from smixup.progress import Progress, TerminalBar

LINES_PER_STAGE = 10
LARGE_GRAPHS, LARGE_BATCH = 200, 10**6  # mean nodes, values in a layer: then several threads pay
quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    words: int = 1,
    title: str = "",
    caption: str = "",
) -> None:
    """Print a table: the first columns hold words, the others numbers, which end on the right."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    print_text(*filter(None, (title, table, caption)))


def print_text(*parts: Any) -> None:
    """Print sentences and tables, broken at the width of the terminal."""
    from rich.console import Console

    for part in parts:
        Console(highlight=False, markup=False).print(part)


def print_json(value: Any) -> None:
    """Print a value as JSON on one line, with null for numbers that JSON cannot write."""
    from smixup.app.words import finite

    typer.echo(json.dumps(finite(value)))


def print_notes(*notes: str) -> None:
    """Print on standard error."""
    for note in notes:
        typer.echo(note, err=True)


class ProgressDisplay(TerminalBar):
    """A bar on a terminal, about ten lines a stage elsewhere: what commands pass as `report`."""

    def __init__(self) -> None:
        super().__init__()
        self.share = 0

    def __call__(self, progress: Progress) -> None:
        if quiet.get():
            return
        if sys.stderr.isatty():
            super().__call__(progress)
            return
        share = progress.done * LINES_PER_STAGE // max(progress.total, 1)
        begins = progress.stage != self.stage or share < self.share
        if progress.done == 0 or share > (0 if begins else self.share):
            metrics = "  ".join(f"{name} {value:.4f}" for name, value in progress.metrics.items())
            line = f"{progress.stage} {progress.done}/{progress.total}  {metrics}"
            print_notes(line.rstrip())
        self.stage, self.share = progress.stage, share


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(dataset: str = "", root: Path | None = None, width: float = 0) -> None:
    """Limit torch to the threads of `SMIXUP_THREADS`, or of `OMP_NUM_THREADS`, which it obeys
    itself; else to one, or to the idle cores if graphs are large, or layers of `width` per node.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported
    named = os.environ.get("SMIXUP_THREADS", "")
    if named and not (named.isdecimal() and int(named)):
        raise UsageError(f"SMIXUP_THREADS must be a number of threads, not '{named}'.")
    if not named and os.environ.get("OMP_NUM_THREADS"):
        return
    from smixup.datasets.catalogue import PUBLISHED, canonical_name

    name = (canonical_name(dataset, root) or dataset) if dataset else ""
    known = {entry.name: entry.table2.average_nodes for entry in PUBLISHED if entry.table2}
    nodes = known.get(name, 0.0)
    large = nodes >= LARGE_GRAPHS or nodes * width >= LARGE_BATCH
    busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
    import torch

    torch.set_num_threads(int(named) if named else max(1, cores() - busy) if large else 1)
