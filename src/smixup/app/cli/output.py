"""What commands show: tables and JSON on standard output, progress and notes on standard error.

Progress is a bar on a terminal, and about ten lines a stage elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import typer

from smixup.progress import Progress

if TYPE_CHECKING:  # rich takes a while to import, and `smixup --help` needs none
    from rich.console import Console

LINES_PER_STAGE = 10
quiet: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether progress is left out; `smixup --quiet` says so."""


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
    from smixup.app.words import finite

    typer.echo(json.dumps(finite(value)))


def print_notes(*notes: str) -> None:
    """Print what there is to say on standard error."""
    for note in notes:
        typer.echo(note, err=True)


class ProgressDisplay:
    """What commands pass as `report`, in a `with` block that tidies up whatever happens."""

    def __init__(self) -> None:
        self.stage, self.share = "", 0
        self.bar: Any = None  # or the word that is shown before the first step

    def __enter__(self) -> Self:
        if not quiet.get() and console().is_terminal:
            self.bar = console().status("reading")
            self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self.bar is not None:
            self.bar.stop()
        self.bar, self.stage = None, ""

    def __call__(self, progress: Progress) -> None:
        """Show one step."""
        if quiet.get():
            return
        if console().is_terminal:
            self._draw(progress)
        else:
            self._print(progress)

    def _print(self, progress: Progress) -> None:
        """Print a line if a stage begins, or if another tenth of it has passed."""
        share = progress.done * LINES_PER_STAGE // max(progress.total, 1)
        begins = progress.stage != self.stage or share < self.share
        if progress.done == 0 or share > (0 if begins else self.share):
            line = f"{progress.stage} {progress.done}/{progress.total}  {_text(progress.metrics)}"
            console().print(line.rstrip(), markup=False, highlight=False, soft_wrap=True)
        self.stage, self.share = progress.stage, share

    def _draw(self, progress: Progress) -> None:
        from rich import progress as bars

        screen = console()
        if self.stage != progress.stage:
            self.close()
            bar = [bars.BarColumn(bar_width=20)] if screen.width >= 80 else []
            times = bars.MofNCompleteColumn(), bars.TimeRemainingColumn(), *bar
            self.bar = bars.Progress(
                "{task.description}", *times, "{task.fields[metrics]}", console=screen
            )
            self.bar.add_task(progress.stage, total=progress.total, metrics="")
            self.bar.start()
            self.stage = progress.stage
        metrics, room = dict(progress.metrics), screen.width - len(progress.stage) - 50
        while metrics and len(_text(metrics)) > room:
            metrics.popitem()
        self.bar.update(0, completed=progress.done, total=progress.total, metrics=_text(metrics))
        if progress.done >= progress.total:
            self.close()


def console() -> Console:
    """Return standard error as rich writes to it."""
    from rich.console import Console

    return Console(stderr=True)


def _text(metrics: Mapping[str, float]) -> str:
    return "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
