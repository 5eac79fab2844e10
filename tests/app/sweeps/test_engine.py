"""The loop keeps every worker busy, tries again after a death, and gives up in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from smixup.app.sweeps.engine import ATTEMPTS, Engine, WorkerDied, outcomes
from smixup.app.sweeps.job import Job, Outcome


class Pretended(Engine):
    """Ends jobs in the order of their start; a job dies as often as `deaths` says."""

    def __init__(self, workers: int, deaths: dict[str, int]) -> None:
        self.workers, self.deaths = workers, Counter(deaths)
        self.running: list[Job] = []
        self.most = 0

    def open(self) -> None: ...

    def close(self) -> None: ...

    def capacity(self) -> int:
        return self.workers

    def start(self, job: Job) -> None:
        self.running.append(job)
        self.most = max(self.most, len(self.running))

    def wait(self) -> Outcome | WorkerDied:
        job = self.running.pop(0)
        if self.deaths[job.id] > 0:
            self.deaths[job.id] -= 1
            return WorkerDied(job, "struck by lightning")
        return Outcome(job.id)


def jobs(number: int) -> list[Job]:
    return [Job(str(place), {}) for place in range(number)]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_every_job_has_one_outcome(workers: int) -> None:
    engine, started = Pretended(workers, {}), []
    found = list(outcomes(engine, jobs(5), lambda job: started.append(job.id)))
    assert [outcome.id for outcome in found] == started == list("01234")
    assert engine.most == min(workers, 5)


def test_a_job_whose_worker_dies_is_tried_again() -> None:
    started = Counter[str]()
    found = list(
        outcomes(Pretended(2, {"1": ATTEMPTS - 1}), jobs(4), lambda job: started.update([job.id]))
    )
    assert sorted(outcome.id for outcome in found) == list("0123")
    assert all(outcome.error is None for outcome in found)
    assert started == {"0": 1, "1": ATTEMPTS, "2": 1, "3": 1}


def test_after_some_deaths_it_failed() -> None:
    found = {
        outcome.id: outcome
        for outcome in outcomes(Pretended(2, {"1": 99}), jobs(3), lambda job: None)
    }
    assert found["1"].error == f"its worker died {ATTEMPTS} times: struck by lightning."
    assert found["1"].result is None
    assert found["0"].error is found["2"].error is None


def test_the_next_job_is_asked_for_when_a_worker_is_free() -> None:
    """So that it may depend on what came of those before."""
    ended: list[str] = []

    def following() -> Iterator[Job]:
        for job in jobs(9):
            if len(ended) == 3:
                return
            yield job

    for outcome in outcomes(Pretended(2, {"1": 1}), following(), lambda job: None):
        ended.append(outcome.id)
    assert ended == ["0", "2", "3", "4", "1"], "one was on its way, and one to be tried again"
