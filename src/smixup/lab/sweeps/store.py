"""Finished runs in one SQLite file, which survives whatever happens to the process that writes it.

The file is in write-ahead mode: a run is there completely or not at all, and others may read while
a sweep writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from smixup.errors import SmixupError
from smixup.lab.runs.config import RunConfig
from smixup.lab.sweeps.identity import run_id
from smixup.lab.sweeps.job import Job, Outcome

FORMAT = 1
DONE, FAILED = "done", "failed"
SECONDS_TO_WAIT = 60.0

SCHEMA = f"""
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('{DONE}', '{FAILED}')),
    dataset TEXT NOT NULL, backbone TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
    test REAL, validation REAL, test_loss REAL, calibration_error REAL, best_epoch INTEGER,
    seconds REAL NOT NULL, training_seconds REAL,
    config TEXT NOT NULL, versions TEXT, curves TEXT, metric TEXT,
    error TEXT, host TEXT NOT NULL, finished TEXT NOT NULL
);
CREATE TABLE sweeps (experiment TEXT PRIMARY KEY, scope TEXT NOT NULL, started TEXT NOT NULL);
PRAGMA user_version = {FORMAT};
"""
COLUMNS = (
    *("id", "state", "dataset", "backbone", "method", "seed"),
    *("test", "validation", "test_loss", "calibration_error", "best_epoch"),
    *(
        "seconds",
        "training_seconds",
        "config",
        "versions",
        "curves",
        "metric",
        "error",
        "host",
        "finished",
    ),
)
SCORES = ("test", "validation", "test_loss", "calibration_error", "best_epoch", "metric")


@dataclass(frozen=True)
class Record:
    """One run of a store, without its curves.

    Attributes:
        seconds: from start to end, loading and fitting included.
        training_seconds: of the classifier alone.
        error: why a failed run failed; its scores are None.
    """

    id: str
    state: str
    dataset: str
    backbone: str
    method: str
    seed: int
    test: float | None
    validation: float | None
    test_loss: float | None
    calibration_error: float | None
    best_epoch: int | None
    seconds: float
    training_seconds: float | None
    config: dict[str, Any]
    versions: dict[str, Any] | None
    metric: str | None
    error: str | None
    host: str
    finished: str

    @property
    def done(self) -> bool:
        """Whether there are scores."""
        return self.state == DONE


@dataclass(frozen=True)
class Store:
    """The runs of one file.

    Attributes:
        path: of the file. `FILE.lock` beside it keeps a second driver away.
    """

    path: Path

    @property
    def workspace(self) -> Path:
        """Where workers keep fitted matchers and unfinished runs; it may be deleted when no sweep
        is running.
        """
        return self.path.with_name(f"{self.path.name}.workspace")

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open the file for the one process that may write, and make it if there is none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with (
                FileLock(f"{self.path}.lock", timeout=0),
                closing(self._connect("rwc")) as connection,
            ):
                _prepare(connection, self.path)
                yield Writer(connection)
        except Timeout as error:
            raise SmixupError(
                f"another sweep is writing to {self.path}; wait for it or name another store."
            ) from error

    def records(self) -> dict[str, Record]:
        """Return all runs by their identity; none if there is no file yet."""
        names = [name for name in COLUMNS if name != "curves"]
        return {
            row[0]: _record(dict(zip(names, row, strict=True))) for row in self._read(names, "runs")
        }

    def records_of_any_code(self) -> dict[str, Record]:
        """Return all runs by the identity that their configurations have now; of several, the last
        finished one.

        Runs of an earlier version of the code count as if they were of this one; the reader must
        want that.
        """
        failed_first = sorted(self.records().values(), key=lambda record: record.done)
        return {id: record for record in failed_first if (id := current_id(record)) is not None}

    def curves(self) -> dict[str, dict[str, list[float]]]:
        """Return the curves of all finished runs by the runs' identity."""
        return {
            row[0]: json.loads(row[1]) for row in self._read(["id", "curves"], "runs") if row[1]
        }

    def scopes(self) -> dict[str, dict[str, Any]]:
        """Return the experiments that were run, each with the scope of the last time."""
        return {row[0]: json.loads(row[1]) for row in self._read(["experiment", "scope"], "sweeps")}

    def _read(self, names: list[str], table: str) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with closing(self._connect("ro")) as connection:
            _check(connection, self.path)
            return connection.execute(
                f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid"
            ).fetchall()

    def _connect(self, mode: str) -> sqlite3.Connection:
        frozen = (
            "" if os.access(self.path.parent, os.W_OK) else "&immutable=1"
        )  # readers need a file beside it, too
        try:
            return sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}{frozen}", SECONDS_TO_WAIT, uri=True
            )
        except sqlite3.OperationalError as error:
            raise SmixupError(f"cannot open the store {self.path}: {error}.") from error


@dataclass(frozen=True)
class Writer:
    """The driver's access to a store."""

    connection: sqlite3.Connection

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Write what came of a job; it is on disk when this returns. A failed run gives way to a
        later one.
        """
        row = {
            "id": outcome.id,
            "state": FAILED if outcome.result is None else DONE,
            **{name: job.config[name] for name in ("dataset", "backbone", "method", "seed")},
            **_scores(outcome.result),
            "config": json.dumps(job.config, sort_keys=True),
            "seconds": outcome.seconds,
            "error": outcome.error,
            "host": outcome.host,
            "finished": _now(),
        }
        names = ", ".join(row)
        with self.connection:
            self.connection.execute(
                f"INSERT OR REPLACE INTO runs ({names}) VALUES ({', '.join('?' * len(row))})",
                tuple(row.values()),
            )

    def remember(self, experiment: str, scope: Mapping[str, Any]) -> None:
        """Write which part of an experiment is being run, so that tables show that part."""
        with self.connection:
            row = (experiment, json.dumps(scope), _now())
            self.connection.execute("INSERT OR REPLACE INTO sweeps VALUES (?, ?, ?)", row)


def current_id(record: Record) -> str | None:
    """Return the identity that a run would have if it were run now; None if it could not be."""
    try:
        return run_id(RunConfig(**record.config))
    except (SmixupError, TypeError):
        return None


def _scores(result: Mapping[str, Any] | None) -> dict[str, Any]:
    if result is None:
        return {}
    texts = {name: json.dumps(result[name]) for name in ("curves", "versions")}
    return {name: result[name] for name in SCORES} | texts | {"training_seconds": result["seconds"]}


def _record(row: dict[str, Any]) -> Record:
    versions = row["versions"] and json.loads(row["versions"])
    return Record(**(row | {"config": json.loads(row["config"]), "versions": versions}))


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if _is_empty(connection, path):
        connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
    _check(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _is_empty(connection: sqlite3.Connection, path: Path) -> bool:
    try:
        return not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        raise SmixupError(f"{path} is not a store of runs: {error}; name another file.") from error


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise SmixupError(f"{path} is not a store of runs: {error}; name another file.") from error
    if found != FORMAT:
        raise SmixupError(
            f"{path} is no store of this version of smixup (format {found}, not {FORMAT}); name "
            "another."
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
