"""How far a sweep is, on standard error: a live table on a terminal, some fifty lines elsewhere."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from smixup.app.runs.words import duration
from smixup.app.sweeps.driver import SweepStatus
from smixup.shown import sentence

SHOWN = 8
LINES = 50


class SweepDisplay:
    """What `sweep` passes as `watch`, within a `with` block that tidies up whatever happens."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        terminal = self.console.is_terminal
        self.live = Live(console=self.console, refresh_per_second=4) if terminal else None
        self.since: dict[str, float] = {}
        self.said = (-1, 0)

    def __call__(self, status: SweepStatus) -> None:
        """Show where the sweep stands."""
        self.since = {id: self.since.get(id, time.monotonic()) for id in status.running}
        if self.live is None:
            self._say(status)
        else:
            self.live.update(self._table(status))

    def __enter__(self) -> Self:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.live is not None:
            self.live.stop()

    def _say(self, status: SweepStatus) -> None:
        """Print a line for every fiftieth part, and for every failure."""
        ended = status.done + len(status.failed)
        part = (LINES * ended // max(status.total, 1), len(status.failed))
        if part != self.said:
            self.said = part
            self.console.print(summary(status), markup=False, highlight=False, soft_wrap=True)

    def _table(self, status: SweepStatus) -> Table:
        table = Table("running", "seed", "since", title=summary(status), title_justify="left")
        for id, job in list(status.running.items())[:SHOWN]:
            what = ", ".join(str(job.config[name]) for name in ("dataset", "backbone", "method"))
            since = duration(time.monotonic() - self.since[id])
            table.add_row(what, str(job.config["seed"]), since)
        for outcome in status.failed[-SHOWN:]:
            table.add_row(escape(f"failed: {sentence(str(outcome.error))}"), "", "")
        return table


def summary(status: SweepStatus) -> str:
    """Say in one line where a sweep stands."""
    left = "" if status.seconds_left is None else f", {duration(status.seconds_left)} left"
    return (
        f"{status.done} of {status.total} done, {len(status.running)} running, "
        f"{len(status.failed)} failed{left}"
    )
