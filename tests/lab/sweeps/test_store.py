"""A store keeps what it was given, refuses what is none, and lets one write while others read."""

from __future__ import annotations

import math
import os
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from smixup.errors import SmixupError
from smixup.lab.runs.config import configure
from smixup.lab.runs.run import RunResult
from smixup.lab.sweeps.job import Job, Outcome
from smixup.lab.sweeps.store import Store

CURVES = {"train_loss": [1.0, 0.5], "test_loss": [1.1, 0.7]}
RESULT = RunResult(
    metric="accuracy",
    test=0.75,
    validation=0.8,
    best_epoch=2,
    epochs=2,
    seconds=1.5,
    test_loss=float("inf"),
    calibration_error=0.1,
    versions={"torch": "2", "threads": 1},
    accuracy=0.75,
    rocauc=0.7,
    brier=0.3,
    temperature=1.5,
    scaled_loss=0.6,
    scaled_brier=0.25,
    scaled_calibration_error=0.05,
    curves=CURVES,
    predictions=b"\x01\x00",
)


def job(seed: int = 0) -> Job:
    return Job.of(configure("MOTIF", "gin", "vanilla", seed, epochs=2))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "runs.db")


def test_a_run_comes_back_as_it_was(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT, seconds=2.5, host="here"))
    (record,) = store.records().values()
    assert (record.id, record.config, record.done) == (job().id, job().config, True)
    assert record.result == replace(RESULT, curves={}, predictions=b""), "curves are kept apart"
    assert (record.error, record.seconds, record.host) == (None, 2.5, "here")
    assert datetime.fromisoformat(record.finished).utcoffset() == timedelta(0)
    assert store.curves() == {job().id: CURVES}
    assert store.predictions() == {job().id: RESULT.predictions}


def test_a_store_of_the_format_before_is_read_and_written_to(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, replace(RESULT, predictions=b"")))
        writer.connection.execute("ALTER TABLE runs DROP COLUMN predictions")
        writer.connection.execute("PRAGMA user_version = 2")
    assert (list(store.records()), store.predictions()) == ([job().id], {})
    with store.writing() as writer:
        writer.keep(job(1), Outcome(job(1).id, RESULT))
    assert list(store.records()) == [job().id, job(1).id]
    assert store.predictions() == {job(1).id: RESULT.predictions}


def test_epochs_without_a_test_are_null_in_the_file_and_nan_again_when_read(store: Store) -> None:
    curves = {"validation": [0.5, 0.4], "test_loss": [0.7, math.nan]}
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, replace(RESULT, curves=curves)))
    assert str(store.curves()) == str({job().id: curves})
    with sqlite3.connect(store.path) as connection:
        query = "SELECT json_extract(curves, '$.test_loss[1]'), curves FROM runs"
        (number, text) = connection.execute(query).fetchone()
    assert number is None
    assert "NaN" not in text


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


def test_a_store_of_another_format_is_refused_and_left_alone(store: Store) -> None:
    with store.writing() as writer:
        writer.connection.execute("PRAGMA user_version = 1")
    before = store.path.read_bytes()
    for use in (store.records, store.curves, lambda: store.writing().__enter__()):
        with pytest.raises(SmixupError, match=r"no store of this version .*format 1, not 3"):
            use()
    assert store.path.read_bytes() == before


def test_a_store_in_a_folder_that_is_read_only_can_be_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    files = sorted(store.path.parent.iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert list(store.records()) == [job().id]
    assert sorted(store.path.parent.iterdir()) == files, "not even a reader leaves a file there"


def test_a_later_failure_does_not_hide_a_finished_run(store: Store) -> None:
    with store.writing() as writer:
        for id, outcome in (
            ("older", Outcome("older", RESULT)),
            ("newer", Outcome("newer", error="no memory")),
        ):
            writer.keep(Job(id, job().config), outcome)
    assert store.records_of_any_code()[job().id].id == "older"


def test_runs_of_other_code_count_on_request(store: Store) -> None:
    old = Job("an-old-identity", job().config)
    with store.writing() as writer:
        writer.keep(old, Outcome(old.id, RESULT))
    assert job().id not in store.records()
    assert store.records_of_any_code()[job().id].result == replace(
        RESULT, curves={}, predictions=b""
    )
