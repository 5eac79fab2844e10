"""One bar for work of several parts: how much is done, what is going on, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from smixup.app.cli import progress
from smixup.app.runs.words import duration
from smixup.progress import Progress

NARROW = 70
"""Columns of a terminal below which the bar itself gives way to words."""


class OverallProgress:
    """Takes the place of `ProgressDisplay` where the parts of the work are known beforehand.

    The parts are weighed by the seconds that they are expected to take, so that the bar moves
    evenly; how long the rest takes is judged by how long the parts so far took.

    ```python
    with OverallProgress({"matcher": 5, "training": 60}) as report:
        report(Progress("matcher", 3, 10))
    ```

    Attributes:
        parts: expected seconds by the stage of a `Progress`, in the order of the work.
        clock: seconds.
    """

    def __init__(
        self, parts: Mapping[str, float], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.parts, self.clock = dict(parts), clock
        self.begun = clock()
        self.stage, self.share, self.said = "", 0.0, ("", 0)
        self.bar: Any = None
        self.terminal = progress.console().is_terminal

    def __call__(self, told: Progress) -> None:
        """Show one step; a stage that is no part, such as one within a part, changes nothing."""
        if told.stage not in self.parts:
            return
        names = list(self.parts)
        before = sum(self.parts[name] for name in names[: names.index(told.stage)])
        share = before + self.parts[told.stage] * told.done / max(told.total, 1)
        self.stage, self.share = told.stage, share / sum(self.parts.values())
        self._show(f"{told.done} of {told.total}")

    @property
    def seconds_left(self) -> float:
        """How long the rest will take: as expected until a twentieth is done, from then on as fast
        as so far.
        """
        if self.share < 1 / 20:
            return sum(self.parts.values()) * (1 - self.share)
        return (self.clock() - self.begun) * (1 - self.share) / self.share

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar away while something else is written to the terminal."""
        self._stop()
        yield

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def _show(self, count: str) -> None:
        if progress.quiet.get():
            return
        left = f"about {duration(self.seconds_left)} left" if self.share < 1 else "done"
        if self.terminal:
            self._draw(left, count)
        elif self.said != (said := (self.stage, int(10 * self.share))):  # ten lines, or some more
            self.said = said
            line = f"{100 * self.share:.0f} %, {left}: {self.stage} {count}"
            progress.console().print(line, markup=False, highlight=False, soft_wrap=True)

    def _draw(self, left: str, count: str) -> None:
        from rich import progress as bars
        from rich.table import Column

        if self.bar is None:
            screen, whole = progress.console(), Column(no_wrap=True)
            columns: list[Any] = [bars.TextColumn("{task.description}", table_column=whole)]
            if screen.width >= NARROW:
                columns.append(bars.BarColumn(bar_width=None))
            rest = "{task.percentage:>3.0f} %, {task.fields[left]}"
            columns.append(bars.TextColumn(rest, table_column=whole))
            self.bar = bars.Progress(*columns, console=screen, transient=True, expand=True)
            self.bar.add_task("", total=1.0, left="")
            self.bar.start()
        task, words = self.bar.task_ids[0], f"{self.stage} {count}"
        self.bar.update(task, completed=self.share, description=words, left=left)
