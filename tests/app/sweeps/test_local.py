"""Real processes: they do what one process does, die one by one, and never outlive the driver."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from warm_processes import WARM

from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps import local
from smixup.app.sweeps.driver import SweepStatus, sweep
from smixup.app.sweeps.engine import WorkerDied
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.local import LocalEngine
from smixup.app.sweeps.store import Store
from smixup.training import Interrupted

pytestmark = pytest.mark.slow

TINY = {"dataset_options": {"num_graphs": 30}}


def tiny(seed: int, epochs: int = 1) -> RunConfig:
    return configure("MOTIF", "gcn", "vanilla", seed, epochs=epochs, **TINY)


@pytest.fixture(autouse=True)
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start workers quickly; those of the scripts below are spawned, as users' are."""
    monkeypatch.setattr(local, "CONTEXT", multiprocessing.get_context(WARM))


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
        engine.start(Job.of(tiny(0)))
        assert isinstance(engine.wait(), Outcome)
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
if __name__ == "__main__":
    from smixup.app.runs.config import configure
    from smixup.app.sweeps.engine import outcomes
    from smixup.app.sweeps.job import Job
    from smixup.app.sweeps.local import LocalEngine

    jobs = [Job.of(configure("MOTIF", seed=seed, epochs=100_000)) for seed in range(2)]

    def tell(job):
        if job == jobs[1]:
            print(*(worker.process.pid for worker in engine.workers), flush=True)

    with LocalEngine(2) as engine:
        list(outcomes(engine, jobs, tell))
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


def test_no_more_workers_than_jobs(tmp_path: Path) -> None:
    engine, most = LocalEngine(6), []
    sweep(
        [tiny(0)],
        Store(tmp_path / "runs.db"),
        engine,
        watch=lambda status: most.append(len(engine.workers)),
    )
    assert max(most) == 1


def hang(job: Job) -> Outcome:
    """Do not listen to anybody who asks to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (Path(job.config["mark"])).touch()
    time.sleep(600)
    return Outcome(job.id)


def nothing() -> None:
    pass


def test_workers_that_hang_are_ended_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("smixup.app.sweeps.local.SECONDS_TO_END", 0.5)
    engine = LocalEngine(3, hang, nothing)
    engine.open()
    for place in range(3):
        engine.start(Job(str(place), {"mark": str(tmp_path / f"{place}")}))
    assert wait_until(lambda: len(list(tmp_path.iterdir())) == 3, 60)
    processes = [worker.process for worker in engine.workers]
    for process in processes:
        join = process.join
        noted = lambda time, join=join: [waited.append(time), join(time)]  # noqa: E731
        monkeypatch.setattr(process, "join", noted)
    engine.close()
    assert sum(waited) < 1.0, "all of them have one time to end, not each its own"
    assert wait_until(lambda: not any(alive(process.pid or 0) for process in processes))


def unsendable(job: Job) -> Outcome:
    return Outcome(job.id, error=lambda: None)  # type: ignore[arg-type]


def test_an_outcome_that_cannot_be_sent_is_a_failure() -> None:
    with LocalEngine(1, unsendable, nothing) as engine:
        engine.start(Job("one", {}))
        end = engine.wait()
        assert isinstance(end, Outcome)
        assert "cannot be sent" in str(end.error)
        engine.start(Job("two", {}))
        assert engine.wait().id == "two", "the worker lives on"  # type: ignore[union-attr]


EARLY = """
if __name__ == "__main__":
    import os, signal, time
    from smixup.app.sweeps.job import Job
    from smixup.app.sweeps.local import LocalEngine

    with LocalEngine(2) as engine:
        for id in "ab":
            engine.start(Job(id, {"dataset": "MOTIF"}))
        for wait in range(20):
            time.sleep(0.1)
            for worker in engine.workers:
                os.kill(worker.process.pid, signal.SIGINT)
        ends = [engine.wait() for _ in range(2)]
        print(*(type(end).__name__ for end in ends))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_workers_do_not_hear_ctrl_c_however_early(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(EARLY)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("Outcome Outcome\n", "")
