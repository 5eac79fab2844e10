"""What computes jobs, and the one loop that keeps it busy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from smixup.app.sweeps.job import Job, Outcome
from smixup.ranges import RangedFields

ATTEMPTS = 3
Function = Callable[[Job], Outcome]


@dataclass(frozen=True)
class WorkerDied:
    """A worker ended without an outcome.

    Attributes:
        job: what it was doing.
        reason: how it ended.
    """

    job: Job
    reason: str


class Engine(ABC, RangedFields):
    """Workers somewhere; used in a `with` block, which leaves none behind."""

    @abstractmethod
    def capacity(self) -> int:
        """Return how many jobs may run at once, as of now."""

    @abstractmethod
    def start(self, job: Job) -> None:
        """Give a job to a free worker."""

    @abstractmethod
    def wait(self) -> Outcome | WorkerDied:
        """Wait until a started job ends, and return how."""

    @abstractmethod
    def open(self) -> None:
        """Get ready."""

    @abstractmethod
    def close(self) -> None:
        """End all workers, whatever they are doing."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def outcomes(
    engine: Engine, jobs: Iterable[Job], started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Yield the outcome of every job as soon as it is there.

    A job whose worker dies is tried again, up to `ATTEMPTS` times in all; then its death is its
    outcome.

    Args:
        engine: does the jobs.
        jobs: in the order in which they start; the next one is asked for when a worker is free, so
            that it may depend on what came of those before.
        started: told of every start.
    """
    again, coming, running, attempts = deque[Job](), iter(jobs), 0, Counter[str]()
    while True:
        while running < engine.capacity():
            job = next(coming, None) or (again.popleft() if again else None)
            if job is None:
                break
            engine.start(job)
            attempts[job.id] += 1
            running += 1
            started(job)
        if not running:
            return
        end = engine.wait()
        running -= 1
        if isinstance(end, Outcome):
            yield end
        elif attempts[end.job.id] < ATTEMPTS:
            again.append(end.job)
        else:
            yield Outcome(end.job.id, error=f"its worker died {ATTEMPTS} times: {end.reason}.")
