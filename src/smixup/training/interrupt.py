"""Being stopped from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from smixup.errors import SmixupError


class Interrupted(SmixupError):  # noqa: N818 (an event, not a defect)
    """Somebody stopped the work (Ctrl-C or SIGTERM)."""

    exit_code = 130


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C while the block runs; does nothing outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
