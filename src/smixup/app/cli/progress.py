"""Progress on standard error: a live bar on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from smixup.progress import Progress

if TYPE_CHECKING:  # rich takes a while to import, and `smixup --version` shows no progress
    from rich.console import Console

LINES_PER_STAGE = 10
quiet: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether progress is left out; `smixup --quiet` says so."""


BESIDE = 12
"""Columns that the time left and the gaps around it take."""
SHORTEST, LONGEST = 8, 30
"""Columns of a bar; where there are fewer, there is none."""


class PlainLines:
    """A line as a stage begins, and about ten more, for logs."""

    def __init__(self) -> None:
        self.last = ("", 0)

    def __call__(self, progress: Progress) -> None:
        """Print a line if a stage begins, or if another tenth of it has passed since the last
        one.
        """
        stage, before = self.last
        now = (progress.done * LINES_PER_STAGE) // progress.total
        before = before if stage == progress.stage and before <= now else 0
        self.last = (progress.stage, now)
        if now > before or progress.done == 0:
            line = f"{progress.stage} {progress.done}/{progress.total}  {_text(progress.metrics)}"
            console().print(line.rstrip(), markup=False, highlight=False, soft_wrap=True)

    def wait(self) -> None:
        """Say nothing before there is a first step: it may turn out that there is none."""

    def close(self) -> None:
        """Nothing is left open."""


class LiveBar:
    """One bar for the stage that is going on; it exists only between a stage's first and last
    step. Before the first stage a word tells that something happens, and goes away.
    """

    def __init__(self) -> None:
        self.bar: Any = None
        self.status: Any = None
        self.stage, self.task, self.room = "", 0, 0

    def wait(self) -> None:
        """Tell that the work has begun, until there is a first step."""
        self.status = console().status("reading")
        self.status.start()

    def __call__(self, progress: Progress) -> None:
        """Draw the bar as it is now."""
        if self.bar is None or self.stage != progress.stage:
            self._open(progress)
        done, metrics = progress.done, fitting(progress.metrics, self.room)
        self.bar.update(self.task, completed=done, total=progress.total, metrics=metrics)
        if progress.done >= progress.total:
            self.close()

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self.status is not None:
            self.status.stop()
            self.status = None
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def _open(self, progress: Progress) -> None:
        from rich import progress as bars
        from rich.table import Column

        self.close()
        whole = Column(no_wrap=True)  # the count and the time left are never cut
        columns: list[Any] = [bars.TextColumn("{task.description}", table_column=whole)]
        screen = console()
        room = screen.width - len(progress.stage) - 2 * len(str(progress.total)) - BESIDE
        if room >= SHORTEST:
            columns.append(bars.BarColumn(bar_width=min(room, LONGEST)))
        columns.append(bars.MofNCompleteColumn(table_column=whole))
        columns.append(bars.TimeRemainingColumn(table_column=whole))
        columns.append(bars.TextColumn("{task.fields[metrics]}", table_column=whole))
        self.room = room - LONGEST - 1
        self.bar = bars.Progress(*columns, console=screen)
        self.stage = progress.stage
        self.task = self.bar.add_task(progress.stage, total=progress.total, metrics="")
        self.bar.start()


class Silence:
    """Nothing."""

    def __call__(self, progress: Progress) -> None:
        """Show nothing."""

    def wait(self) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Nothing is left open."""


class ProgressDisplay:
    """What the verbs pass as `report`, within a `with` block that tidies up whatever happens."""

    def __init__(self) -> None:
        self.shown: LiveBar | PlainLines | Silence
        if quiet.get():
            self.shown = Silence()
        else:
            self.shown = LiveBar() if console().is_terminal else PlainLines()

    def __call__(self, progress: Progress) -> None:
        """Show one step."""
        self.shown(progress)

    def __enter__(self) -> Self:
        self.shown.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self.shown.close()


def console() -> Console:
    """Return standard error as rich writes to it."""
    from rich.console import Console

    return Console(stderr=True)


def fitting(metrics: Mapping[str, float], room: int) -> str:
    """Return the first metrics, as many as so many columns hold."""
    for number in range(len(metrics), 0, -1):
        text = _text(dict(list(metrics.items())[:number]))
        if len(text) <= room:
            return text
    return ""


def _text(metrics: Mapping[str, float]) -> str:
    return "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
