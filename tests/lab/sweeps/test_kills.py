"""Whoever is killed, whenever: no finished run is lost or done again, and the store is never
damaged.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from smixup.lab.sweeps.record import Record
from smixup.lab.sweeps.store import Store

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("SMIXUP_TEST_KILLS", "4"))
RUNS_PER_KILL = 40
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

SCRIPT = """
import os, random, signal, sys, time
from pathlib import Path
from smixup.lab.runs.config import configure
from smixup.lab.runs.run import RunResult
from smixup.lab.sweeps.driver import sweep
from smixup.lab.sweeps.job import Outcome
from smixup.lab.sweeps.local import LocalEngine
from smixup.lab.sweeps.store import Store
from smixup.training import Interrupted

folder, number = Path(sys.argv[1]), int(sys.argv[2])
RESULT = RunResult("accuracy", test=.5, validation=.5, best_epoch=1, epochs=300, seconds=.01,
                   test_loss=1., calibration_error=.1, versions={},
                   curves={"test_loss": [1.0] * 300})

def short(job):
    time.sleep(random.uniform(0, 0.05))
    with (folder / "executed").open("a") as log:
        log.write(job.id + "\\n")
    return Outcome(job.id, RESULT)

def nothing():
    pass

def note_workers(engine):
    (folder / "workers").write_text(" ".join(str(worker.process.pid) for worker in engine.workers))

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    engine = LocalEngine(2, short, prepare=nothing)
    runs = [configure("MOTIF", seed=seed) for seed in range(number)]
    try:
        sweep(runs, Store(folder / "runs.db"), engine, watch=lambda status: note_workers(engine))
    except Interrupted as error:
        sys.exit(130)
"""


def start(script: Path, number: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, script, script.parent, str(number)], stderr=subprocess.PIPE
    )


def executed(folder: Path) -> Counter[str]:
    log = folder / "executed"
    return Counter(log.read_text().split()) if log.exists() else Counter()


def integrity(store: Store) -> str:
    with sqlite3.connect(store.path) as connection:
        (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return str(found)


def strike(driver: subprocess.Popen[bytes], folder: Path, dice: random.Random) -> bool:
    """Kill the driver, or one of its workers; return whether it was the driver."""
    workers = [int(pid) for pid in (folder / "workers").read_text().split()]
    if workers and dice.random() < 0.3:
        with suppress(ProcessLookupError):
            os.kill(dice.choice(workers), signal.SIGKILL)
        return False
    driver.send_signal(dice.choice(SIGNALS))
    return True


def in_motion(folder: Path, driver: subprocess.Popen[bytes], before: int) -> bool:
    """Wait until more runs were executed than before; return false if the driver ends first."""
    while driver.poll() is None:
        if executed(folder).total() > before:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_no_finished_run_is_lost_or_done_again(tmp_path: Path) -> None:
    script, store, dice = tmp_path / "driver.py", Store(tmp_path / "runs.db"), random.Random(7)
    script.write_text(SCRIPT)
    number, kills = RUNS_PER_KILL * KILLS, 0
    while kills < KILLS:
        driver = start(script, number)
        struck = False
        while (
            not struck and kills < KILLS and in_motion(tmp_path, driver, executed(tmp_path).total())
        ):
            time.sleep(dice.uniform(0, 0.5))
            struck = strike(driver, tmp_path, dice)
            kills += 1
        assert struck or driver.poll() is None, "the sweep ended before all kills were made"
        if not struck:
            driver.kill()
        driver.communicate()
        before, times = store.records(), executed(tmp_path)
        assert integrity(store) == "ok"
        assert all(record.done for record in before.values())
        assert before, "a kill must come when there is something to lose"
        compare_later(tmp_path, before, times)
    driver = start(script, number)
    _, errors = driver.communicate()
    assert driver.returncode == 0, errors.decode()
    after = store.records()
    assert len(after) == number
    assert all(record.done for record in after.values())
    compare_later(tmp_path, after, executed(tmp_path))


def compare_later(folder: Path, records: dict[str, Record], times: Counter[str]) -> None:
    """Compare with what was there after the last kill: it is all there still, and was not done
    again.
    """
    note = folder / "before.json"
    earlier = json.loads(note.read_text()) if note.exists() else {}
    for id, (finished, done) in earlier.items():
        assert id in records, "a finished run was lost"
        assert (records[id].finished, times[id]) == (finished, done), (
            "a finished run was done again"
        )
    note.write_text(
        json.dumps({id: (record.finished, times[id]) for id, record in records.items()})
    )
