"""How far a sweep is, on standard error: a live table on a terminal, some fifty lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from smixup.lab.sweeps.driver import Progress

SHOWN = 8
LINES = 50


def duration(seconds: float | None, workers: int = 1) -> str:
    """Return seconds, shared among workers, as people say them."""
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds / workers), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours:,} h {minutes:02} min"
        if hours
        else f"{minutes} min {rest:02} s"
        if minutes
        else f"{rest} s"
    )


class SweepDisplay:
    """What `sweep` passes as `watch`, within a `with` block that tidies up whatever happens."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.live = (
            Live(console=self.console, refresh_per_second=4) if self.console.is_terminal else None
        )
        self.since: dict[str, float] = {}
        self.said = (-1, 0)

    def __call__(self, progress: Progress) -> None:
        """Show where the sweep stands."""
        self.since = {id: self.since.get(id, time.monotonic()) for id in progress.running}
        if self.live is None:
            self._say(progress)
        else:
            self.live.update(self._table(progress))

    def __enter__(self) -> Self:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live is not None:
            self.live.stop()

    def _say(self, progress: Progress) -> None:
        """Print a line for every fiftieth part, and for every failure."""
        ended = progress.done + len(progress.failed)
        part = (LINES * ended // max(progress.total, 1), len(progress.failed))
        if part != self.said:
            self.said = part
            self.console.print(summary(progress), markup=False, highlight=False, soft_wrap=True)

    def _table(self, progress: Progress) -> Table:
        table = Table("running", "seed", "since", title=summary(progress), title_justify="left")
        for id, job in list(progress.running.items())[:SHOWN]:
            what = ", ".join(str(job.config[name]) for name in ("dataset", "backbone", "method"))
            table.add_row(
                what, str(job.config["seed"]), duration(time.monotonic() - self.since[id])
            )
        for outcome in progress.failed[-SHOWN:]:
            table.add_row(escape(f"failed: {outcome.error}"), "", "")
        return table


def summary(progress: Progress) -> str:
    """Say in one line where a sweep stands."""
    counts = (
        f"{progress.done} of {progress.total} done, {len(progress.running)} running, "
        f"{len(progress.failed)} failed"
    )
    return (
        counts
        if progress.seconds_left is None
        else f"{counts}, {duration(progress.seconds_left)} left"
    )
