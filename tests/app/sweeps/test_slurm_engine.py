"""Jobs of a queue: submitit's own processes on this machine, and a Slurm that we pretend."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from warm_processes import WARM

from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps import local
from smixup.app.sweeps import slurm_engine as module
from smixup.app.sweeps.driver import SweepStatus, sweep
from smixup.app.sweeps.engine import WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute
from smixup.app.sweeps.local import LocalEngine
from smixup.app.sweeps.slurm_engine import SlurmEngine
from smixup.app.sweeps.store import Store
from smixup.errors import SmixupError
from smixup.training import Interrupted
from smixup.training.checkpointer import Checkpointer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
    pytest.mark.skipif(
        find_spec("submitit") is None,
        reason="submitit is not installed: pip install 'smixup[slurm]'",
    ),
]

ROOT = Path(__file__).parents[3]


def dies_once(job: Job) -> Outcome:
    assert job.root is not None
    mark = job.root / f"{job.id}.died"
    if job.config["seed"] == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(job)


def test_the_same_runs_as_by_processes(
    tmp_path: Path, known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_APPEAR", 1.0)
    monkeypatch.setattr(local, "CONTEXT", multiprocessing.get_context(WARM))
    options = {"epochs": 2, "dataset_options": {"num_graphs": 40}}
    runs = [configure("MOTIF", "gin", "drop-node", seed, **options) for seed in range(2)]
    runs.append(configure("NOSUCH", "gcn", "vanilla", 0, epochs=1))
    slurm, processes = (Store(tmp_path / f"{name}.db") for name in ("slurm", "local"))
    queue = SlurmEngine(slurm.workspace / "slurm", 2, cluster="local", function=dies_once)
    for store, engine in ((slurm, queue), (processes, LocalEngine(2))):
        status = sweep(runs, store, engine, root=tmp_path)
        errors = [each.error for each in status.failed]
        assert (status.done, len(errors)) == (2, 1), errors
    assert slurm.curves() == processes.curves()
    assert len(slurm.curves()) == 2
    assert len(list(tmp_path.glob("*.died"))) == 1, "a job was killed and its run tried again"
    for id, record in processes.records().items():
        other = slurm.records()[id]
        assert (other.done, other.error, other.host) == (record.done, record.error, record.host)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs import the functions of this file."""
    places = [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))


def tiny(seed: int, epochs: int = 1) -> RunConfig:
    data = {"num_graphs": 30}
    return configure("MOTIF", "gcn", "vanilla", seed, epochs=epochs, dataset_options=data)


def finished(job: Job) -> Outcome:
    return Outcome(job.id, host="there")


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


def processes_about(word: str) -> list[int]:
    """Processes, none of them dead, whose command names a folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_an_interrupted_sweep_cancels_its_jobs(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    engine = SlurmEngine(store.workspace / "slurm", 3, cluster="local")

    def stop(status: SweepStatus) -> None:
        if status.done == 1:
            assert processes_about(str(tmp_path))
            raise KeyboardInterrupt

    runs = [tiny(0), *(tiny(seed, epochs=100_000) for seed in (1, 2))]
    with pytest.raises(Interrupted, match="1 of 3 runs are in"):
        sweep(runs, store, engine, watch=stop)
    assert len(store.records()) == 1
    assert wait_until(lambda: not processes_about(str(tmp_path)))
    assert list((store.workspace / "slurm").iterdir()) == [], "nobody died, so there is no log"


def test_without_submitit_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(SmixupError, match=r"needs submitit.*smixup\[slurm\]"):
        SlurmEngine(tmp_path, 1).open()


def test_without_slurm_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SmixupError, match="no Slurm on this machine: run the command on a login"):
        SlurmEngine(tmp_path / "new", 1).open()
    assert not (tmp_path / "new").exists()


COMMANDS = {
    # Runs the script at once, in a process group of its own whose leader is the job's number.
    "sbatch": """
        if grep -q "partition=nowhere" "$1"; then
            echo "sbatch: error: invalid partition: nowhere" >&2; exit 1
        fi
        cp "$1" $QUEUE/script
        export SLURM_NTASKS=1 SLURM_JOB_NUM_NODES=1 SLURM_NODEID=0 SLURM_PROCID=0 SLURM_LOCALID=0
        setsid bash -c 'export SLURM_JOB_ID=$$; bash "$0"; echo $? > $QUEUE/$$' "$1" \\
            >/dev/null 2>&1 &
        grep -o "job-name=.*" $QUEUE/script > $QUEUE/$!.name
        echo "Submitted batch job $!"
    """,
    "srun": """
        while [[ "$1" == --* ]]; do
            case "$1" in --output|--error) shift 2;; *) shift;; esac
        done
        exec "$@"
    """,
    "sacct": """
        echo "JobID|State|NodeList"
        for each in "$@"; do
            [[ "$each" =~ ^[0-9]+$ ]] || continue
            state=RUNNING; kill -0 $each 2>/dev/null || state=OUT_OF_MEMORY
            echo "$each|$state|node1"
        done
    """,
    "scancel": """
        echo "$*" >> $QUEUE/cancelled
        for each in $(grep -lx "job-${1#--}" $QUEUE/*.name); do
            kill -KILL -- -$(basename $each .name)
        done
    """,
}


@pytest.fixture
def queue(tmp_path: Path, known: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Slurm of four scripts; the folder in which it notes what it was told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in COMMANDS.items():
        (folder / name).write_text(f"#!/bin/bash\n{text}")
        (folder / name).chmod(0o755)
    (tmp_path / "queue").mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("QUEUE", str(tmp_path / "queue"))
    monkeypatch.setattr(module, "SECONDS_TO_APPEAR", 0.5)
    yield tmp_path / "queue"
    for pid in processes_about(str(tmp_path)):
        os.kill(pid, signal.SIGKILL)


def test_slurm_is_asked_for_what_the_options_say(queue: Path, tmp_path: Path) -> None:
    jobs = [Job.of(tiny(seed)) for seed in range(2)]
    with SlurmEngine(
        tmp_path / "jobs", 7, "short", minutes=30, memory=2.5, cpus=2, function=finished
    ) as engine:
        assert engine.capacity() == 7
        for job in jobs:
            engine.start(job)
        ends = [engine.wait() for _ in jobs]
    assert {end.id for end in ends if isinstance(end, Outcome)} == {job.id for job in jobs}
    script = (queue / "script").read_text()
    for words in ("partition=short", "time=30", "mem=2560MB", "cpus-per-task=2"):
        assert f"#SBATCH --{words}\n" in script
    assert f"#SBATCH --job-name={engine.name}\n" in script
    (leftovers,) = (queue / "cancelled").read_text().splitlines()
    assert leftovers.startswith(f"--name={engine.name} --user="), "of a driver that was killed"


def test_what_slurm_refuses_is_one_sentence(
    queue: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        SlurmEngine(tmp_path / "jobs", 1, "nowhere") as engine,
        pytest.raises(SmixupError, match="does not take the job: sbatch: error: invalid partition"),
    ):
        engine.start(Job.of(tiny(0)))
    assert capsys.readouterr().err == ""


def killed(job: Job) -> Outcome:
    os.kill(os.getpid(), signal.SIGKILL)
    return Outcome(job.id)


def out_of_time(job: Job) -> Outcome:
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(30)
    return Outcome(job.id)


def unheard(job: Job) -> Outcome:
    raise ModuleNotFoundError("No module named 'smixup'")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (killed, r"job \d+ ended without a result \(out of memory\); its log is .*_log\.err"),
        (out_of_time, "it was preempted, cancelled or out of its time"),
        (unheard, "ModuleNotFoundError: No module named 'smixup'; its log is "),
    ],
)
def test_a_job_that_ends_otherwise_is_a_death(
    queue: Path, tmp_path: Path, function: Callable[[Job], Outcome], reason: str
) -> None:
    job = Job.of(tiny(0))
    with SlurmEngine(tmp_path / "jobs", 1, function=function) as engine:
        engine.start(job)
        end = engine.wait()
    assert isinstance(end, WorkerDied)
    assert end.job == job
    assert re.match(reason, end.reason), end.reason
    assert "\n" not in end.reason
    assert list((tmp_path / "jobs").glob("sweep-*/*_submission.sh")), "what may tell more stays"


def test_what_is_in_the_queue_is_cancelled_at_the_end(queue: Path, tmp_path: Path) -> None:
    with SlurmEngine(tmp_path / "jobs", 2) as engine:
        for seed in range(2):
            engine.start(Job.of(tiny(seed, epochs=100_000)))
        assert len(processes_about(str(tmp_path / "jobs"))) >= 2
    told = (queue / "cancelled").read_text().splitlines()
    assert len(told) == 2, "when it began, and when it ended"
    assert told[1].startswith(f"--name={engine.name} ")
    assert wait_until(lambda: not processes_about(str(tmp_path / "jobs")))


def stopped_once(job: Job) -> Outcome:
    """Have a run told after some epochs that its time is over, the first time that it is tried."""
    assert job.workspace is not None
    mark, plain, epochs = job.workspace / "stopped", Checkpointer.snapshot, []

    def snapshot(keeper: Checkpointer) -> None:
        plain(keeper)
        epochs.append(len(keeper.last[1]["curves"]["train_loss"]))
        if epochs[-1] == 5 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGUSR2)

    Checkpointer.snapshot = snapshot  # type: ignore[method-assign]
    outcome = execute(job)
    (job.workspace / "began").write_text(str(epochs[1]))
    return outcome


def test_a_run_that_was_out_of_time_goes_on_from_where_it_was(queue: Path, tmp_path: Path) -> None:
    store, config = Store(tmp_path / "runs.db"), tiny(0, epochs=8)
    engine = SlurmEngine(store.workspace / "slurm", 1, function=stopped_once)
    started: list[int] = []
    final = sweep([config], store, engine, watch=lambda status: started.append(len(status.running)))
    assert (final.done, final.failed) == (1, [])
    assert started == [1, 1, 0], "it was tried again"
    assert int((store.workspace / "began").read_text()) > 4
    result = execute(Job.of(config)).result
    assert result is not None
    assert list(store.curves().values()) == [result.curves]
