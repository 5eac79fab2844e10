"""How long what is left takes, from what was done."""

from __future__ import annotations

from typing import Any

import pytest

from smixup.experiments.config import configure
from smixup.experiments.sweep.clock import Clock


def run(method: str = "vanilla", backbone: str = "gin", epochs: int = 10) -> dict[str, Any]:
    return configure("MOTIF", backbone, method, epochs=epochs).to_dict()


def test_the_most_similar_runs_count() -> None:
    clock = Clock({})
    clock.tell(run("drop-edge", "gcn"), 10.0, 10.0)
    assert clock.expected(run("vanilla", "gin")) == pytest.approx(10.0)
    clock.tell(run("vanilla", "gcn"), 4.0, 4.0)
    assert clock.expected(run("vanilla", "gin")) == pytest.approx(4.0)
    clock.tell(run("vanilla", "gin"), 1.0, 1.0)
    clock.tell(run("vanilla", "gin"), 3.0, 3.0)
    assert clock.expected(run("vanilla", "gin")) == pytest.approx(2.0)
    assert clock.expected(configure("MUTAG").to_dict()) is None


def test_a_rehearsal_foretells_the_real_thing() -> None:
    clock = Clock({})
    clock.tell(run("s-mixup", epochs=2), seconds=31.0, training_seconds=1.0)
    assert clock.expected(run("s-mixup", epochs=300)) == pytest.approx(30.0 + 150.0)


def test_what_is_left_is_shared_among_workers() -> None:
    clock = Clock({})
    assert clock.left([run()], 2) is None
    assert clock.left([], 2) == 0
    clock.tell(run(), 6.0, 6.0)
    assert clock.left([run(), run()], 2) == pytest.approx(6.0)
    other = configure("MUTAG", epochs=5).to_dict()
    assert clock.left([run(), other], 1) == pytest.approx(12.0), "the unknown is taken for the mean of the known"
