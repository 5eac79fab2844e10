"""Workers on a Ray cluster: a running one, or one on this machine for the time of a sweep."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any

from smixup.errors import SmixupError
from smixup.lab.sweeps.engine import Engine, Function, WorkerDied
from smixup.lab.sweeps.job import Job, Outcome, execute
from smixup.optional import import_optional
from smixup.ranges import Range
from smixup.training.interrupt import termination_as_interrupt

SECONDS_TO_ANSWER = 5.0


@dataclass
class RayEngine(Engine):
    """One Ray task per job, one CPU each.

    Attributes:
        cpus: of a cluster of its own; without effect on a running cluster, all of which is used.
        address: of a running cluster, or `auto`; None starts one here.
        function: does a job.
    """

    cpus: Annotated[int, Range(1, limit=10_000)]
    address: str | None = None
    function: Function = execute
    running: dict[Any, Job] = field(default_factory=dict, init=False, repr=False)
    task: Any = field(default=None, init=False, repr=False)

    def open(self) -> None:
        ray = _ray()
        _require_answer(self.address)
        own = {"num_cpus": self.cpus, "include_dashboard": False} if self.address is None else {}
        try:
            with termination_as_interrupt():  # Ray leaves a handler of SIGTERM that aborts
                ray.init(self.address or "local", log_to_driver=False, logging_level="ERROR", **own)
        except (ConnectionError, RuntimeError, ValueError) as error:
            what = str(error).splitlines()[0]
            raise SmixupError(
                f"no Ray cluster at {self.address}: {what} Start one with `ray start`."
            ) from error
        self.task = ray.remote(num_cpus=1, max_retries=0)(self.function)

    def capacity(self) -> int:
        return max(int(_ray().cluster_resources().get("CPU", 0)), 1)

    def start(self, job: Job) -> None:
        self.running[self.task.remote(job)] = job

    def wait(self) -> Outcome | WorkerDied:
        ray = _ray()
        (done,), _ = ray.wait(list(self.running), num_returns=1)
        job = self.running.pop(done)
        try:
            outcome: Outcome = ray.get(done)
        except ray.exceptions.RayError as error:
            return WorkerDied(job, str(error).splitlines()[0].rstrip("."))
        return outcome

    def close(self) -> None:
        self.running.clear()
        _ray().shutdown()


def _require_answer(address: str | None) -> None:
    """Refuse at once an address at which nobody listens; Ray itself would try for minutes."""
    host, colon, port = (address or "").rpartition("://")[2].partition(":")
    if not colon:
        return
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, ValueError) as error:
        raise SmixupError(
            f"nobody listens at {address}: {error}. `ray start --head` starts a cluster."
        ) from error


def _ray() -> ModuleType:
    return import_optional("ray", "Ray", "cluster")
