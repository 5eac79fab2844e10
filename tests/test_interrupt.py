"""SIGTERM and SIGHUP are Ctrl-C while work is done, and themselves again afterwards."""

from __future__ import annotations

import os
import signal
import sys
from threading import Thread

import pytest

from smixup.interrupt import ENDS, termination_as_interrupt


@pytest.mark.parametrize("end", ENDS)
def test_a_signal_interrupts_and_the_old_handler_returns(end: signal.Signals) -> None:
    before = signal.getsignal(end)
    with pytest.raises(KeyboardInterrupt), termination_as_interrupt():
        os.kill(os.getpid(), end)
    assert signal.getsignal(end) is before


@pytest.mark.skipif(sys.platform == "win32", reason="knows no SIGHUP")
def test_under_nohup_a_closed_terminal_ends_nothing() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with termination_as_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_threads_may_train_too() -> None:
    done = []

    def work() -> None:
        with termination_as_interrupt():
            done.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done
