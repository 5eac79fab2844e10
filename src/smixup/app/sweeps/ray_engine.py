"""Workers on a Ray cluster: a running one, or one on this machine for the time of a sweep."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any

from smixup.app.sweeps.engine import Engine, Function, WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute
from smixup.errors import SmixupError
from smixup.interrupt import termination_as_interrupt
from smixup.optional import import_optional
from smixup.ranges import Range

SECONDS_TO_ANSWER = 5.0
OF_MANY_MACHINES = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""A variable of Ray. Where it is 0, as it is by default on systems that are no servers, Ray takes
the loopback address for that of the machine, and listens there alone.
"""


@dataclass
class RayEngine(Engine):
    """One Ray task per job, one CPU each.

    Attributes:
        cpus: of a cluster of its own; without effect on a running cluster, all of which is used.
        address: of a running cluster, or `auto`; None starts one here, which listens on the
            loopback interface alone. A token of the cluster (`RAY_AUTH_TOKEN`, or
            `RAY_AUTH_TOKEN_PATH`, with `RAY_AUTH_MODE=token`) is taken from the environment, by
            Ray itself.
        function: does a job.
    """

    cpus: Annotated[int, Range(1, limit=10_000)]
    address: str | None = None
    function: Function = execute
    running: dict[Any, Job] = field(default_factory=dict, init=False, repr=False)
    task: Any = field(default=None, init=False, repr=False)

    def open(self) -> None:
        if self.address is None:
            _keep_to_this_machine()
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


def _keep_to_this_machine() -> None:
    """Let a cluster of our own listen on the loopback interface: whoever reaches its ports may run
    code on it.
    """
    os.environ.setdefault(OF_MANY_MACHINES, "0")  # read when Ray is imported, here and by its parts
    constants = import_optional("ray._private.ray_constants", "Ray", "cluster")
    vars(constants)["ENABLE_RAY_CLUSTER"] = os.environ[OF_MANY_MACHINES] == "1"


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
