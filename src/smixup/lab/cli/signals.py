"""A command that is told to end cleans up behind itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

NAMES = ("SIGTERM", "SIGHUP")
"""What a system, or a terminal that is closed, sends; the second is not on every system."""


@contextmanager
def ends_cleanly() -> Iterator[None]:
    """Treat these signals as Ctrl-C while a verb runs, unless somebody else treats or ignores them
    (`nohup`).
    """
    if current_thread() is not main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    before = {each: signal.getsignal(each) for each in numbers}
    ours = [each for each, handler in before.items() if handler is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, signal.default_int_handler)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)
