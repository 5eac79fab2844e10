"""Files of earlier formats are read as they are, and become today's when somebody writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.sweeps.store_format import FORMAT, columns_in
from smixup.errors import SmixupError

OF_FORMAT_2 = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, config TEXT NOT NULL, result TEXT, curves TEXT, error TEXT,
    seconds REAL NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL
);
CREATE TABLE sweeps (experiment TEXT PRIMARY KEY, scope TEXT NOT NULL, started TEXT NOT NULL);
PRAGMA user_version = 2;
"""
LAST = "finished TEXT NOT NULL"
OF_FORMAT_3 = OF_FORMAT_2.replace(LAST, f"{LAST}, predictions BLOB").replace("= 2", "= 3")


def job(seed: int) -> Job:
    return Job.of(configure("MOTIF", "gin", "vanilla", seed, epochs=2))


def earlier(path: Path, found: int, result: RunResult, runs: int = 3) -> Store:
    """Make a file as version 2 or 3 wrote it: a failure, then runs with curves."""
    with sqlite3.connect(path) as connection:
        connection.executescript(OF_FORMAT_2 if found == 2 else OF_FORMAT_3)
        for seed in range(runs):
            scores, curves = json.dumps(result.scores()), json.dumps({"test": [0.5, None]})
            told = (None, None, "no data") if seed == 0 else (scores, curves, None)
            config = json.dumps(dict(job(seed).config), sort_keys=True)
            row = [job(seed).id, config, *told, 1.5, "here", f"2026-01-0{seed % 9 + 1}"]
            row += [b"\x01"] * (found == 3)
            connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(row))})", row)
        connection.execute("INSERT INTO sweeps VALUES ('quick', '{\"seeds\": 2}', 'then')")
    connection.close()
    return Store(path)


@pytest.mark.parametrize("found", [2, 3])
def test_an_earlier_format_is_read_and_upgraded_without_a_loss(
    found: int, tmp_path: Path, make_result: Callable[..., RunResult]
) -> None:
    store = earlier(tmp_path / "old.db", found, make_result())
    before = store.path.read_bytes()

    def all_of_it() -> str:
        return str([store.records(), store.curves(), store.predictions(), store.scopes()])

    read = all_of_it()
    assert store.path.read_bytes() == before, "reading changes nothing"
    assert list(store.records()) == [job(seed).id for seed in range(3)]
    assert len(store.predictions()) == (0 if found == 2 else 3)
    with store.writing():
        pass
    assert all_of_it() == read
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
        assert connection.execute("SELECT count(digest) FROM runs").fetchone() == (3,)
        connection.execute("UPDATE runs SET seconds = 2 WHERE rowid = 2")
    connection.close()
    with pytest.warns(UserWarning, match="digest does not fit"):
        assert len(store.records()) == 2
    with store.writing() as writer:
        writer.keep(job(1), Outcome(job(1).id, make_result()))
    assert len(store.records()) == 3


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, make_result: Callable[..., RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = earlier(tmp_path / "old.db", 3, make_result())
    before = str(store.records())

    def fail(*values: object) -> str:
        raise MemoryError

    monkeypatch.setattr("smixup.app.sweeps.store_format.digest", fail)
    with pytest.raises(MemoryError):
        store.writing().__enter__()
    monkeypatch.undo()
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    connection.close()
    assert str(store.records()) == before


def test_a_damaged_file_is_not_upgraded(
    tmp_path: Path, make_result: Callable[..., RunResult]
) -> None:
    store = earlier(tmp_path / "old.db", 3, make_result(), runs=40)
    content = bytearray(store.path.read_bytes())
    middle = next(
        page for page in range(len(content) // 4096 - 1, 3, -1) if content[page * 4096] == 13
    )
    content[middle * 4096 : (middle + 1) * 4096] = b"\xff" * 4096
    store.path.write_bytes(content)
    with pytest.raises(SmixupError, match=r"is damaged \(row .*sweep import .* takes over what"):
        store.writing().__enter__()
    assert store.path.read_bytes() == content


def test_columns_that_are_not_there_are_read_as_nothing() -> None:
    assert columns_in(FORMAT, "runs", ("id", "data", "digest")) == ["id", "data", "digest"]
    assert columns_in(FORMAT, "data", ("dataset", "digest")) == ["dataset", "digest"]
    assert columns_in(4, "data", ("dataset", "digest")) == ["dataset", "NULL AS digest"]
    assert columns_in(4, "runs", ("data", "digest")) == ["data", "digest"]
    assert columns_in(3, "runs", ("data", "predictions")) == ["'' AS data", "predictions"]
    assert columns_in(2, "runs", ("predictions",)) == ["NULL AS predictions"]


def test_a_file_without_digests_of_data_is_read_and_gets_them(
    tmp_path: Path, make_result: Callable[..., RunResult]
) -> None:
    store = Store(tmp_path / "old.db")
    with store.writing() as writer:
        for seed, data in enumerate(("old", "new", "new")):
            writer.keep(job(seed), Outcome(job(seed).id, make_result(), data=data))
    with sqlite3.connect(store.path) as connection:
        connection.execute("ALTER TABLE data DROP COLUMN digest")
        connection.execute("UPDATE runs SET seconds = 9 WHERE rowid = 3")
        connection.execute("PRAGMA user_version = 4")
    connection.close()

    def found() -> tuple[list[str], dict[str, str]]:
        with pytest.warns(UserWarning, match=f"run {job(2).id}: its digest does not fit"):
            return list(store.records()), store.data()

    before = found()
    assert before == ([job(1).id], {"MOTIF": "new"})
    with store.writing():
        pass
    assert found() == before, "a damaged row gets no digest that fits"
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
        assert connection.execute("SELECT count(digest) FROM data").fetchone() == (1,)
    connection.close()
