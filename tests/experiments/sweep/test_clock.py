"""How long what is left takes, from what was done."""

from __future__ import annotations

import pytest

from smixup.experiments.config import configure
from smixup.experiments.sweep.clock import Clock
from smixup.experiments.sweep.job import Job


def job(method: str = "vanilla", backbone: str = "gin", epochs: int = 3) -> Job:
    return Job.of(configure("MOTIF", backbone, method, epochs=epochs))


def test_the_most_similar_runs_count() -> None:
    clock = Clock({})
    clock.tell(job("drop-edge", "gcn"), 10.0)
    assert clock.expected(job("vanilla", "gin").config) == 10.0
    clock.tell(job("vanilla", "gcn"), 4.0)
    assert clock.expected(job("vanilla", "gin").config) == 4.0
    clock.tell(job("vanilla", "gin"), 1.0)
    clock.tell(job("vanilla", "gin"), 3.0)
    assert clock.expected(job("vanilla", "gin").config) == 2.0
    assert clock.expected(job(epochs=4).config) is None


def test_what_is_left_is_shared_among_workers() -> None:
    clock = Clock({})
    assert clock.left([job()], 2) is None
    assert clock.left([], 2) == 0
    clock.tell(job(), 6.0)
    assert clock.left([job(), job()], 2) == pytest.approx(6.0)
    assert clock.left([job(), job(epochs=9)], 1) == pytest.approx(12.0), (
        "the unknown is taken for the mean of the known"
    )
