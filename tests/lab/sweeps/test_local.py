"""Real processes: they do what one process does, die one by one, and never outlive the driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from smixup.lab.runs.config import RunConfig, configure
from smixup.lab.sweeps.driver import SweepStatus, sweep
from smixup.lab.sweeps.engine import WorkerDied
from smixup.lab.sweeps.job import Job, Outcome
from smixup.lab.sweeps.local import LocalEngine
from smixup.lab.sweeps.store import Store
from smixup.training import Interrupted

pytestmark = pytest.mark.slow

TINY = {"dataset_options": {"num_graphs": 30}}


def tiny(seed: int, epochs: int = 1) -> RunConfig:
    return configure("MOTIF", "gcn", "vanilla", seed, epochs=epochs, **TINY)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def wait_until(true: object, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_a_worker_that_is_killed_is_a_death_and_another_takes_its_place() -> None:
    with LocalEngine(1) as engine:
        engine.start(Job.of(tiny(0, epochs=100_000)))
        os.kill(engine.workers[0].process.pid or 0, signal.SIGKILL)
        end = engine.wait()
        assert isinstance(end, WorkerDied)
        assert "SIGKILL" in end.reason
        engine.start(Job.of(tiny(0)))
        assert isinstance(engine.wait(), Outcome)
        pids = [worker.process.pid for worker in engine.workers]
    assert not any(alive(pid or 0) for pid in pids)


def test_a_worker_that_dies_idle_is_replaced() -> None:
    with LocalEngine(1) as engine:
        idle = engine.workers[0].process
        idle.kill()
        idle.join()
        engine.start(Job.of(tiny(0)))
        assert isinstance(engine.wait(), Outcome | WorkerDied)


def test_an_interrupted_sweep_keeps_what_is_done_and_ends_its_workers(tmp_path: Path) -> None:
    store, engine = Store(tmp_path / "runs.db"), LocalEngine(2)
    pids: list[int] = []

    def stop(status: SweepStatus) -> None:
        pids.extend(worker.process.pid or 0 for worker in engine.workers)
        if status.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="2 of 5 runs are in"):
        sweep([tiny(seed) for seed in range(5)], store, engine, watch=stop)
    assert len(store.records()) == 2
    assert not any(alive(pid) for pid in pids)
    before = store.records()
    done: list[int] = []
    sweep(
        [tiny(seed) for seed in range(5)],
        store,
        LocalEngine(2),
        watch=lambda status: done.append(status.done),
    )
    after = store.records()
    assert min(done) == 2
    assert len(after) == 5
    assert {id: after[id] for id in before} == before, "nothing is done twice"


DRIVER = """
import sys
from smixup.lab.runs.config import configure
from smixup.lab.sweeps.engine import outcomes
from smixup.lab.sweeps.job import Job
from smixup.lab.sweeps.local import LocalEngine

if __name__ == "__main__":
    job = Job.of(configure("MOTIF", epochs=100_000))
    with LocalEngine(2) as engine:
        print(*(worker.process.pid for worker in engine.workers), flush=True)
        list(outcomes(engine, [job], lambda job: None))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_end_when_their_driver_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    driver = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    pids = [int(pid) for pid in driver.stdout.readline().split()]
    assert len(pids) == 2
    assert all(alive(pid) for pid in pids)
    driver.kill()
    driver.wait()
    driver.stdout.close()
    assert wait_until(lambda: not any(alive(pid) for pid in pids))
