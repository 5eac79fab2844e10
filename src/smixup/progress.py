"""How a long computation reports its progress, and how it is stopped.

The library prints nothing by itself, with one exception: a `fit` that was given no report draws a
bar on a terminal.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals by which a program is told to end; Windows knows the first alone."""


@dataclass(frozen=True)
class Progress:
    """So many steps of a stage are done, zero as it begins; `unit` says what they are, in the
    plural, and `metrics` are shown beside.
    """

    stage: str
    done: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    unit: str = "steps"


Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Tell nobody: `mix.fit(train, silent)`."""


def within(name: str, report: Report) -> Report:
    """Put a name before every stage: `within("seed 3", report)` tells of `seed 3: training`."""

    def renamed(progress: Progress) -> None:
        report(replace(progress, stage=f"{name}: {progress.stage}"))

    return renamed


class TerminalBar:
    """Draws a bar for every stage on standard error; where that is no terminal, it is silent."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.stage = ""

    def __call__(self, progress: Progress) -> None:
        """Show one step."""
        if sys.stderr is None or not sys.stderr.isatty():
            return
        if self.bar is None or self.stage != progress.stage or progress.done < self.bar.n:
            from tqdm import tqdm

            self.close()  # what it stood for was broken off
            self.stage, unit = progress.stage, f" {progress.unit}"
            self.bar = tqdm(desc=self.stage, initial=progress.done, total=progress.total, unit=unit)
        self.bar.total = progress.total
        metrics = (f"{name} {value:.3f}" for name, value in progress.metrics.items())
        self.bar.set_postfix_str(", ".join(metrics), refresh=False)
        self.bar.update(progress.done - self.bar.n)
        if progress.done >= progress.total:
            self.close()

    def close(self) -> None:
        """End a bar that is there."""
        if self.bar is not None:
            self.bar.close()
        self.bar = None


on_terminal = TerminalBar()
"""What `fit` tells if nobody says whom."""


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C while the block runs in the main thread; SIGHUP stays
    without effect where it was, as under `nohup`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = [end for end in ENDS if signal.getsignal(end) is not signal.SIG_IGN]
    previous = {end: signal.signal(end, signal.default_int_handler) for end in ends}
    try:
        yield
    finally:
        for end, handler in previous.items():
            signal.signal(end, handler or signal.SIG_DFL)
