"""Whoever is killed, whenever: no finished run is lost or done again, and the store is never
damaged.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import configure
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.store import Store

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("SMIXUP_TEST_KILLS", "20"))
TALLY = os.environ.get("SMIXUP_TEST_TALLY")
"""A file to which every sweep of a long test adds a line: kills, runs, lost, done again."""
KILLS_PER_SWEEP = 20
SEED = int(os.environ.get("SMIXUP_TEST_SEED", "7"))
RUNS_PER_KILL = 20
LONGEST_WAIT = 0.2
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

SCRIPT = """
import multiprocessing, os, random, signal, sys, time
from pathlib import Path
from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps import local
from smixup.app.sweeps.driver import sweep, unique
from smixup.app.sweeps.job import Outcome
from smixup.app.sweeps.local import LocalEngine
from smixup.app.sweeps.store import Store
from smixup.training import Interrupted

folder, number = Path(sys.argv[1]), int(sys.argv[2])
runs = [configure("MOTIF", seed=seed) for seed in range(number)] if __name__ == "__main__" else []
RESULT = RunResult("accuracy", test=.5, validation=.5, best_epoch=1, epochs=300, seconds=.01,
                   test_loss=1., calibration_error=.1, versions={},
                   curves={"test_loss": [1.0] * 300})

def short(job):
    time.sleep(random.uniform(0, 0.1))
    with (folder / "executed").open("a") as log:
        log.write(job.id + "\\n")
    return Outcome(job.id, RESULT)

def nothing():
    pass

def note_workers(engine):
    (folder / "workers").write_text(" ".join(str(worker.process.pid) for worker in engine.workers))

def drive():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    engine = LocalEngine(2, short, prepare=nothing)
    try:
        sweep(runs, Store(folder / "runs.db"), engine, watch=lambda status: note_workers(engine))
    except Interrupted as error:
        return 130
    return 0

def nursery():
    # A driver for every line that comes in; drivers and workers are copies of this process, which
    # has imported everything once.
    local.CONTEXT = multiprocessing.get_context("fork")
    unique(runs)  # what it takes to know them is done once
    global folder
    for line in sys.stdin:
        folder = Path(line.strip())
        child = os.fork()
        if not child:
            os._exit(drive())
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)

if __name__ == "__main__":
    sys.exit(nursery() if len(sys.argv) > 3 else drive())
"""


class Driver:
    """A sweep in a process of its own, started as users start it."""

    def __init__(self, script: Path, number: int) -> None:
        command = [sys.executable, str(script), str(script.parent), str(number)]
        self.process = subprocess.Popen(command)

    def send_signal(self, sent: signal.Signals) -> None:
        self.process.send_signal(sent)

    def ended(self) -> int | None:
        """Return the exit code, None as long as there is none."""
        return self.process.poll()

    def wait(self) -> int:
        return self.process.wait()


class Nursery:
    """A process from which drivers are copied: a kill costs milliseconds."""

    def __init__(self, script: Path, number: int) -> None:
        command = [sys.executable, str(script), str(script.parent), str(number), "nursery"]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, bufsize=1, **pipes)

    def start(self, script: Path, number: int) -> Copy:
        return Copy(self.process, script.parent)

    def close(self) -> None:
        self.process.communicate()


class Copy(Driver):
    """A driver of a nursery."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.nursery, self.code = process, None
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdout = process.stdout
        process.stdin.write(f"{folder}\n")
        self.pid = int(self.stdout.readline())

    def send_signal(self, sent: signal.Signals) -> None:
        if self.ended() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sent)

    def ended(self) -> int | None:
        if self.code is None and select.select([self.stdout], [], [], 0)[0]:
            self.code = int(self.stdout.readline())
        return self.code

    def wait(self) -> int:
        while self.ended() is None:
            time.sleep(0.01)
        assert self.code is not None
        return self.code


def executed(folder: Path) -> Counter[str]:
    log = folder / "executed"
    return Counter(log.read_text().split()) if log.exists() else Counter()


def integrity(store: Store) -> str:
    with sqlite3.connect(store.path) as connection:
        (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return str(found)


def strike(driver: Driver, folder: Path, dice: random.Random) -> bool:
    """Kill the driver, or one of its workers; return whether it was the driver."""
    workers = [int(pid) for pid in (folder / "workers").read_text().split()]
    if workers and dice.random() < 0.3:
        with suppress(ProcessLookupError):
            os.kill(dice.choice(workers), signal.SIGKILL)
        return False
    driver.send_signal(dice.choice(SIGNALS))
    return True


def in_motion(folder: Path, driver: Driver) -> bool:
    """Wait until more runs were executed than before; return false if the driver ends first."""
    log = folder / "executed"
    before = log.stat().st_size if log.exists() else 0
    while driver.ended() is None:
        if log.exists() and log.stat().st_size > before:
            return True
        time.sleep(0.01)
    return False


Start = Callable[[Path, int], Driver]


def kill_a_sweep(
    script: Path, number: int, kills: int, dice: random.Random, start: Start
) -> Counter[str]:
    """Kill a sweep of a number of runs so many times, or until it ends by itself, then let it end;
    return what was counted.
    """
    folder, store = script.parent, Store(script.parent / "runs.db")
    made = Counter(kills=0)
    before: dict[str, Record] = {}
    times: Counter[str] = Counter()
    ended = False
    while made["kills"] < kills and not ended:
        driver = start(script, number)
        struck = False
        while not struck and made["kills"] < kills and in_motion(folder, driver):
            time.sleep(dice.uniform(0, LONGEST_WAIT))
            struck = strike(driver, folder, dice)
            made["kills"] += 1
        ended = not struck and driver.ended() == 0
        if not struck:
            driver.send_signal(signal.SIGKILL)
        driver.wait()
        made += compared(before, times, store, executed(folder))
        before, times = store.records(), executed(folder)
    assert start(script, number).wait() == 0
    made += compared(before, times, store, executed(folder))
    made["runs"] = number
    made["missing"] = number - sum(run.done for run in store.records().values())
    made["under way when killed"] = executed(folder).total() - number
    return made


def compared(
    before: dict[str, Record], times: Counter[str], store: Store, now: Counter[str]
) -> Counter[str]:
    """Count what was there after the last kill and is not any more, or was done again."""
    after = store.records()
    return Counter(
        damaged=integrity(store) != "ok",
        lost=sum(id not in after for id in before),
        again=sum(
            id in after and (after[id].finished, now[id]) != (run.finished, times[id])
            for id, run in before.items()
        ),
        failed=sum(not run.done for run in after.values()),
    )


def nothing_lost(made: Counter[str]) -> bool:
    return not any(made[bad] for bad in ("lost", "again", "missing", "damaged", "failed"))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "driver.py"
    path.write_text(SCRIPT)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_no_finished_run_is_lost_or_done_again(script: Path) -> None:
    made = kill_a_sweep(script, 2 * RUNS_PER_KILL, 2, random.Random(3), Driver)
    assert nothing_lost(made), made
    assert made["kills"] == 2, "a kill must come when there is something to lose"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies processes")
def test_many_kills(script: Path) -> None:
    """Sweeps are killed again and again, each up to twenty times, until all kills are made."""
    made, dice, number = 0, random.Random(SEED), RUNS_PER_KILL * KILLS_PER_SWEEP
    nursery = Nursery(script, number)
    while made < KILLS:
        own = script.parent / str(made) / script.name
        own.parent.mkdir()
        kills = min(KILLS_PER_SWEEP, KILLS - made)
        found = kill_a_sweep(own, number, kills, dice, nursery.start)
        made += found["kills"]
        if TALLY:
            with Path(TALLY).open("a") as file:
                file.write(f"{json.dumps(found)}\n")
        assert nothing_lost(found), found
        assert found["kills"], "a kill must come when there is something to lose"
        shutil.rmtree(own.parent)
    nursery.close()


def test_the_count_finds_what_is_lost_and_what_was_done_again(
    store: Store, keep: Callable[..., str]
) -> None:
    ids = [keep(configure("MOTIF", seed=seed)) for seed in range(3)]
    before, times = store.records(), Counter(dict.fromkeys(ids, 1))
    same = compared(before, times, store, times)
    assert not any(same.values())
    more = before | {"gone": before[ids[0]]}
    found = compared(more, times, store, times + Counter([ids[1]]))
    assert (found["lost"], found["again"], found["damaged"]) == (1, 1, False)
