"""A command that is told to end leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from threading import Thread

import pytest

from smixup.lab.cli.signals import ends_cleanly

SIGNALS = [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_an_interruption_and_itself_again_afterwards(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt), ends_cleanly():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is signal.SIG_DFL


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with ends_cleanly():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_threads_are_left_alone() -> None:
    done = []

    def work() -> None:
        with ends_cleanly():
            done.append(signal.getsignal(signal.SIGTERM))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.SIG_DFL]


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_an_import_that_is_told_to_end_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    with zipfile.ZipFile(tmp_path / "T.zip", "w") as archive:  # not compressed: no ratio
        archive.writestr("T_graph_indicator.txt", "1\n" * 3_000_000)
        archive.writestr("T_graph_labels.txt", "1\n")
        archive.writestr("T_A.txt", "1, 2\n" * 3_000_000)
    root = tmp_path / "root"
    root.mkdir()
    command = [sys.executable, "-m", "smixup", "data", "import", str(tmp_path / "T.zip")]
    process = subprocess.Popen([*command, "--root", str(root)], stderr=subprocess.PIPE, text=True)
    while not list(root.glob(".import-*/unpacked/*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert told.strip().splitlines()[-1] == "interrupted"
    assert list(root.iterdir()) == []
