"""Runs in this process: in order, on one thread, which is given back."""

from __future__ import annotations

import torch

from smixup.app.sweeps.engine import outcomes
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import Job, Outcome


def test_one_after_the_other() -> None:
    seen: list[str] = []

    def work(job: Job) -> Outcome:
        seen.append(job.id)
        return Outcome(job.id)

    with InProcess(work) as engine:
        found = list(outcomes(engine, (Job(str(n), {}) for n in range(3)), lambda job: None))
    assert [each.id for each in found] == seen == ["0", "1", "2"]


def test_threads_are_as_before() -> None:
    before = torch.get_num_threads()

    def work(job: Job) -> Outcome:
        torch.set_num_threads(before + 1)
        return Outcome(job.id)

    with InProcess(work) as engine:
        list(outcomes(engine, [Job("0", {})], lambda job: None))
    assert torch.get_num_threads() == before
