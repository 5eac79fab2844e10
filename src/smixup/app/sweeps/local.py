"""Worker processes on this machine.

A pool of the standard library gives up all its work when one process dies. Here each worker has a
pipe of its own, so that the driver knows who died doing what; and each watches the driver, so that
none outlives it.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
from typing import Annotated

from smixup.app.sweeps.engine import Engine, Function, WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute, warm_up
from smixup.app.sweeps.worker_process import work
from smixup.ranges import Range

SECONDS_TO_END = 10.0
CONTEXT = multiprocessing.get_context("spawn")


@dataclass
class Worker:
    """A process, the driver's end of its pipe, and the job it has."""

    process: BaseProcess
    pipe: Connection
    job: Job | None = None

    @classmethod
    def start(cls, function: Function, prepare: Callable[[], None]) -> Worker:
        """Start a process that waits for jobs."""
        ours, theirs = CONTEXT.Pipe()
        what = pickle.dumps((function, prepare))
        process = CONTEXT.Process(target=work, args=(theirs, what), daemon=True)
        with _deaf_to_ctrl_c():
            process.start()
        theirs.close()
        return cls(process, ours)

    def give(self, job: Job) -> None:
        """Send a job."""
        self.job = job
        self.pipe.send(job)

    def end(self) -> Outcome | WorkerDied:
        """Return what the pipe holds; an empty one that is closed means that the process died."""
        assert self.job is not None
        job, self.job = self.job, None
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return WorkerDied(job, _reason(self.process.exitcode))
        return outcome


@dataclass
class LocalEngine(Engine):
    """Processes of one torch thread each, started as there are jobs for them.

    Attributes:
        processes: how many at most.
        function: does a job.
        prepare: called once in every process before its first job.
    """

    processes: Annotated[int, Range(1, limit=10_000)]
    function: Function = execute
    prepare: Callable[[], None] = warm_up
    workers: list[Worker] = field(default_factory=list, init=False, repr=False)

    def open(self) -> None:
        self.workers = []

    def capacity(self) -> int:
        return self.processes

    def start(self, job: Job) -> None:
        free = next((worker for worker in self.workers if worker.job is None), None)
        if free is None:
            free = Worker.start(self.function, self.prepare)
            self.workers.append(free)
        try:
            free.give(job)
        except OSError:  # it died while it had nothing to do
            self.workers.remove(free)
            self.start(job)

    def wait(self) -> Outcome | WorkerDied:
        busy = {worker.pipe: worker for worker in self.workers if worker.job is not None}
        worker = busy[next(pipe for pipe in wait(list(busy)) if isinstance(pipe, Connection))]
        end = worker.end()
        if isinstance(end, WorkerDied):
            self.workers.remove(worker)
        return end

    def close(self) -> None:
        for worker in self.workers:
            worker.process.terminate()
            worker.pipe.close()
        end = time.monotonic() + SECONDS_TO_END
        for worker in self.workers:
            worker.process.join(max(end - time.monotonic(), 0))
        for worker in self.workers:
            worker.process.kill()
        self.workers.clear()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Hold Ctrl-C back while a process is started, which inherits that: it would otherwise be hit
    before it can say that it does not listen. The driver hears it when the block ends.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # started along with the first process, it would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reason(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}, perhaps for want of memory"
    return f"ended with exit code {exit_code}"
