"""One run after the other in this process: nothing to start, and no script needs a guard for it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import torch

from smixup.app.sweeps.engine import Engine, Function, WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute


@dataclass
class InProcess(Engine):
    """The calling process as its own worker; torch has one thread meanwhile.

    Attributes:
        function: does a job.
    """

    function: Function = execute
    waiting: deque[Job] = field(default_factory=deque, init=False, repr=False)
    threads: int = field(default=1, init=False, repr=False)

    def open(self) -> None:
        self.threads = torch.get_num_threads()

    def capacity(self) -> int:
        return 1

    def start(self, job: Job) -> None:
        self.waiting.append(job)

    def wait(self) -> Outcome | WorkerDied:
        return self.function(self.waiting.popleft())

    def close(self) -> None:
        self.waiting.clear()
        torch.set_num_threads(self.threads)
