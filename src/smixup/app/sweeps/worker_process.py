"""What a worker process does. Little is imported here: a worker watches its driver, and is deaf to
Ctrl-C, before it imports what jobs need.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smixup.app.sweeps.job import Job, Outcome


def work(pipe: Connection, what: bytes) -> None:
    """Do jobs until the driver hangs up.

    Args:
        pipe: jobs come in, outcomes go out.
        what: the function that does a job, and what is called once before the first, pickled.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the driver decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # by which the driver ends it
    if hasattr(signal, "pthread_sigmask"):  # held back since the driver started this process
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_driver, daemon=True).start()
    function, prepare = pickle.loads(what)
    from smixup.interrupt import Interrupted
    from smixup.warning import plainly

    warnings.formatwarning = plainly
    prepare()
    while True:
        try:
            job: Job = pipe.recv()
            _answer(pipe, function(job))
        except (EOFError, OSError, Interrupted, KeyboardInterrupt):
            return


def _answer(pipe: Connection, outcome: Outcome) -> None:
    """Send an outcome; one that cannot be sent is a failure that can."""
    try:
        pipe.send(outcome)
    except OSError:
        raise
    except Exception as failure:
        from smixup.app.sweeps.job import Outcome

        error = f"its outcome cannot be sent: {type(failure).__name__}: {failure}"
        pipe.send(Outcome(outcome.id, error=error, seconds=outcome.seconds, host=outcome.host))


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)
