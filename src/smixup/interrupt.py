"""Being stopped from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from smixup.errors import SmixupError

ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals by which a program is told to end; Windows knows the first alone."""


class Interrupted(SmixupError):  # noqa: N818 (an event, not a defect)
    """Somebody stopped the work (Ctrl-C, SIGTERM, or a terminal that was closed)."""

    exit_code = 130


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C while the block runs; does nothing outside the main
    thread. SIGHUP stays without effect where it was, as under `nohup`.
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
