"""A store keeps what it was given, refuses what is none, and lets one write while others read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from smixup.errors import SmixupError
from smixup.lab.runs.config import configure
from smixup.lab.sweeps.job import Job, Outcome
from smixup.lab.sweeps.store import Store

CURVES = {"train_loss": [1.0, 0.5], "test_loss": [1.1, 0.7]}
RESULT = {
    "test": 0.75,
    "validation": 0.8,
    "test_loss": 0.7,
    "calibration_error": 0.1,
    "best_epoch": 2,
    "metric": "accuracy",
    "seconds": 1.5,
    "curves": CURVES,
    "versions": {"torch": "2"},
}


def job(seed: int = 0) -> Job:
    return Job.of(configure("MOTIF", "gin", "vanilla", seed, epochs=2))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "runs.db")


def test_a_run_comes_back_as_it_was(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT, seconds=2.5, host="here"))
    (record,) = store.records().values()
    assert record.id == job().id
    assert record.done
    assert (record.test, record.validation, record.test_loss, record.best_epoch) == (
        0.75,
        0.8,
        0.7,
        2,
    )
    assert (record.seconds, record.training_seconds, record.host) == (2.5, 1.5, "here")
    assert record.config == job().config
    assert record.versions == {"torch": "2"}
    assert store.curves() == {job().id: CURVES}


def test_a_failed_run_gives_way_to_a_finished_one(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, error="no data"))
        assert [(r.done, r.error) for r in store.records().values()] == [(False, "no data")]
        writer.keep(job(), Outcome(job().id, RESULT))
    assert [(r.done, r.error) for r in store.records().values()] == [(True, None)]


def test_without_a_file_there_is_nothing(store: Store) -> None:
    assert store.records() == store.curves() == store.scopes() == {}
    assert not store.path.exists()


def test_readers_see_finished_runs_while_a_driver_writes(store: Store) -> None:
    with store.writing() as writer:
        for seed in range(3):
            writer.keep(job(seed), Outcome(job(seed).id, RESULT))
            assert len(Store(store.path).records()) == seed + 1


def test_a_second_driver_is_kept_away(store: Store) -> None:
    with (
        store.writing(),
        pytest.raises(SmixupError, match="another sweep is writing"),
        Store(store.path).writing(),
    ):
        pass
    with Store(store.path).writing():
        pass


def test_the_last_scope_is_remembered(store: Store) -> None:
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
        writer.remember("quick", {"seeds": 3})
    assert store.scopes() == {"quick": {"seeds": 3}}


@pytest.mark.parametrize("content", [b"not a database at all, just some text " * 50, None])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.db"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE mine (x)")
        connection.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for use in (lambda: Store(path).records(), lambda: Store(path).writing().__enter__()):
        with pytest.raises(SmixupError, match=r"other\.db is"):
            use()
    assert path.read_bytes() == before


def test_a_later_failure_does_not_hide_a_finished_run(store: Store) -> None:
    with store.writing() as writer:
        for id, outcome in (
            ("older", Outcome("older", RESULT)),
            ("newer", Outcome("newer", error="no memory")),
        ):
            writer.keep(Job(id, job().config), outcome)
    assert store.records_of_any_code()[job().id].test == 0.75


def test_runs_of_other_code_count_on_request(store: Store) -> None:
    old = Job("an-old-identity", job().config)
    with store.writing() as writer:
        writer.keep(old, Outcome(old.id, RESULT))
    assert job().id not in store.records()
    assert store.records_of_any_code()[job().id].test == 0.75
