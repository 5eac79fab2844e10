"""Workers of a Slurm cluster, one job of the queue per run, through submitit."""

from __future__ import annotations

import contextlib
import getpass
import io
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from smixup.app.sweeps.engine import Engine, Function, WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute
from smixup.errors import SmixupError
from smixup.interrupt import Interrupted, termination_as_interrupt
from smixup.ranges import Count, Positive, Range

SLURM = "slurm"
SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_APPEAR = 15.0
"""How long the result of a job that has ended may take to show on a shared file system."""

SECONDS_TO_END = 10.0


@dataclass(frozen=True)
class Stoppable:
    """What a job of the cluster runs. A job that is preempted or out of time is told so by a
    signal, keeps the state of its run, and says that it was stopped; the driver tries it again.
    """

    function: Function

    def __call__(self, job: Job) -> Outcome | WorkerDied:
        """Do a job."""
        signal.signal(signal.SIGUSR2, signal.default_int_handler)
        try:
            with termination_as_interrupt():
                return self.function(job)
        except (KeyboardInterrupt, Interrupted):
            return WorkerDied(job, "it was preempted, cancelled or out of its time")


@dataclass
class SlurmEngine(Engine):
    """Jobs in a queue, one CPU thread each.

    Attributes:
        folder: for scripts, results and logs of the jobs; every node must see it.
        jobs: how many are in the queue at once, waiting or running.
        partition: of the cluster; None takes its default.
        minutes: that a job may take. A run that needs longer is submitted again and goes on from
            where it was, three times in all.
        memory: of a job in GB; None takes the cluster's default.
        cpus: of a job. A run uses one; more buy memory where that is given by CPU.
        cluster: `slurm`, or `local` for submitit's processes on this machine.
        function: does a job.
    """

    folder: Path
    jobs: Annotated[int, Range(1, limit=10_000)]
    partition: str | None = None
    minutes: Count = 240
    memory: Positive | None = None
    cpus: Annotated[int, Range(1, limit=10_000)] = 1
    cluster: str = SLURM
    function: Function = execute
    executor: Any = field(default=None, init=False, repr=False)
    running: dict[Any, Job] = field(default_factory=dict, init=False, repr=False)
    ended: dict[Any, float] = field(default_factory=dict, init=False, repr=False)
    died: bool = field(default=False, init=False, repr=False)

    @property
    def name(self) -> str:
        """Name of all jobs of one store in the queue."""
        return f"smixup-{sha256(str(self.folder.absolute()).encode()).hexdigest()[:8]}"

    def open(self) -> None:
        submitit = _submitit()
        if self.cluster == SLURM:
            _require_slurm()
            self._cancel_all()  # what a driver that was killed has left in the queue
        self.folder.mkdir(parents=True, exist_ok=True)
        own = Path(tempfile.mkdtemp(prefix="sweep-", dir=self.folder))
        self.executor = submitit.AutoExecutor(own, cluster=self.cluster)
        self.executor.update_parameters(
            name=self.name,
            timeout_min=self.minutes,
            mem_gb=self.memory,
            cpus_per_task=self.cpus,
            slurm_partition=self.partition,
        )

    def capacity(self) -> int:
        return self.jobs

    def start(self, job: Job) -> None:
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # sbatch's words are in the error, too
                submitted = self.executor.submit(Stoppable(self.function), job)
        except RuntimeError as error:
            raise SmixupError(
                f"Slurm does not take the job: {_first_line(error)} (--partition, --time, "
                "--memory, --cpus and --workers say what is asked of it)."
            ) from error
        self.running[submitted] = job

    def wait(self) -> Outcome | WorkerDied:
        while True:
            for submitted in self.running:
                if submitted.done() and (end := self._end(submitted)) is not None:
                    del self.running[submitted]
                    self.died |= isinstance(end, WorkerDied)
                    return end
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def close(self) -> None:
        if self.executor is None:
            return
        if self.cluster == SLURM and self.running:
            self._cancel_all()
        elif self.running:
            _end(self.running)
        if not self.died:  # the logs say why
            shutil.rmtree(self.executor.folder, ignore_errors=True)
        self.running.clear()

    def _end(self, submitted: Any) -> Outcome | WorkerDied | None:
        """Return what a job that has ended left behind; None as long as that may still appear."""
        job = self.running[submitted]
        if submitted.paths.result_pickle.exists():
            try:
                end: Outcome | WorkerDied = submitted.result()
            except RuntimeError as error:  # it could not even begin, as without smixup on its node
                return WorkerDied(job, f"{_last_line(error)}; {_log(submitted)}")
            return end
        since = time.monotonic() - self.ended.setdefault(submitted, time.monotonic())
        if since < SECONDS_TO_APPEAR:
            return None
        state = submitted.state.lower().replace("_", " ")
        how = f"job {submitted.job_id} ended without a result ({state})"
        return WorkerDied(job, f"{how}; {_log(submitted)}")

    def _cancel_all(self) -> None:
        """Cancel every job of this store, waiting or running; a store has one driver."""
        command = ["scancel", f"--name={self.name}", f"--user={getpass.getuser()}"]
        subprocess.run(command, check=False, capture_output=True)


def _require_slurm() -> None:
    if not all(map(shutil.which, ("sbatch", "srun", "sacct", "scancel"))):
        raise SmixupError(
            "there is no Slurm on this machine: run the command on a login node of the cluster, or "
            "choose another engine."
        )


def _end(running: dict[Any, Job]) -> None:
    """End submitit's own processes, and see to it that none is left behind."""
    for submitted in running:
        submitted.cancel()
    end = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < end and not all(submitted.done() for submitted in running):
        time.sleep(0.05)


def _log(submitted: Any) -> str:
    return f"its log is {submitted.paths.stderr}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")


def _last_line(error: Exception) -> str:
    """Return the last line of the traceback in a report of submitit, which stands between rules."""
    lines = [line.strip() for line in str(error).splitlines()]
    rules = [place for place, line in enumerate(lines) if line and set(line) == {"-"}]
    trace = lines[rules[0] + 1 : rules[-1]] if len(rules) > 1 else lines
    return next((line for line in reversed(trace) if line), "no reason given").rstrip(".")


def _submitit() -> ModuleType:
    return import_module("submitit")
