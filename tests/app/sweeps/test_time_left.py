"""How long what is left takes, from what was done."""

from __future__ import annotations

import pytest

from smixup.app.runs.config import configure
from smixup.app.sweeps.time_left import RunKind, TimeEstimate


def run(method: str = "vanilla", backbone: str = "gin", epochs: int = 10) -> RunKind:
    return RunKind("MOTIF", method, backbone, epochs)


def test_the_kind_of_a_configuration() -> None:
    assert RunKind.of(configure("MOTIF", "gcn", "drop-edge", epochs=7).to_dict()) == run(
        "drop-edge", "gcn", 7
    )


def test_a_run_kept_before_there_were_teachers_has_none() -> None:
    config = configure("MOTIF", epochs=10, teachers=2).to_dict()
    assert RunKind.of(config) == run()._replace(teachers=2)
    del config["teachers"]
    assert RunKind.of(config) == run()


def test_training_anew_is_another_kind() -> None:
    assert RunKind.of(configure("MOTIF", epochs=10, refit=True).to_dict()) == run()._replace(
        refit=True
    )


def test_the_most_similar_runs_count() -> None:
    times = TimeEstimate({})
    times.add(run("drop-edge", "gcn"), 10.0, 10.0)
    assert times.expected(run("vanilla", "gin")) == pytest.approx(10.0)
    times.add(run("vanilla", "gcn"), 4.0, 4.0)
    assert times.expected(run("vanilla", "gin")) == pytest.approx(4.0)
    times.add(run("vanilla", "gin"), 1.0, 1.0)
    times.add(run("vanilla", "gin"), 3.0, 3.0)
    assert times.expected(run("vanilla", "gin")) == pytest.approx(2.0)
    assert times.expected(run()._replace(dataset="MUTAG")) is None


def test_a_rehearsal_foretells_the_real_thing() -> None:
    times = TimeEstimate({})
    times.add(run("s-mixup", epochs=2), seconds=31.0, training_seconds=1.0)
    assert times.expected(run("s-mixup", epochs=300)) == pytest.approx(30.0 + 150.0)
    times.add(run("s-mixup", epochs=300), seconds=100.0, training_seconds=80.0)
    assert times.expected(run("s-mixup", epochs=300)) == pytest.approx(100.0), (
        "runs of the same length know better"
    )


def test_what_is_left_is_shared_among_workers() -> None:
    times = TimeEstimate({})
    assert times.left({run(): 1}, 2) is None
    assert times.left({}, 2) == times.left({run(): 0}, 2) == 0
    times.add(run(), 6.0, 6.0)
    assert times.left({run(): 2}, 2) == pytest.approx(6.0)
    unknown = run()._replace(dataset="MUTAG")
    assert times.left({run(): 1, unknown: 1}, 1) == pytest.approx(12.0), (
        "it is taken for the mean of the known"
    )
    assert times.left({run(): 3, unknown: 1, run(epochs=20): 0}, 1) == pytest.approx(24.0)
