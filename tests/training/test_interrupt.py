"""SIGTERM is Ctrl-C while training runs, and itself again afterwards."""

from __future__ import annotations

import os
import signal
from threading import Thread

import pytest

from smixup.training.interrupt import termination_as_interrupt


def test_sigterm_interrupts_and_the_old_handler_returns() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), termination_as_interrupt():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_threads_may_train_too() -> None:
    done = []

    def work() -> None:
        with termination_as_interrupt():
            done.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done
