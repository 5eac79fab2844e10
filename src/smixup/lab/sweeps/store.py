"""Finished runs in one SQLite file, which survives whatever happens to the process that writes it.

The file is in write-ahead mode: a run is there completely or not at all, and others may read while
a sweep writes.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from smixup.errors import SmixupError
from smixup.lab.runs.run import RunResult
from smixup.lab.sweeps.job import Job, Outcome
from smixup.lab.sweeps.record import Record

FORMAT = 3  # rises with every change of the tables below, or of the fields of `RunResult`
BEFORE = 2  # the same without predictions
SECONDS_TO_WAIT = 60.0
SCHEMA = f"""
CREATE TABLE runs (
    id TEXT PRIMARY KEY, config TEXT NOT NULL, result TEXT, curves TEXT, error TEXT,
    seconds REAL NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL, predictions BLOB
);
CREATE TABLE sweeps (experiment TEXT PRIMARY KEY, scope TEXT NOT NULL, started TEXT NOT NULL);
PRAGMA user_version = {FORMAT};
"""
UPGRADE = f"ALTER TABLE runs ADD COLUMN predictions BLOB; PRAGMA user_version = {FORMAT};"


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
            with FileLock(f"{self.path}.lock", timeout=0), self._connected("rwc") as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                yield Writer(connection)
        except Timeout as error:
            raise SmixupError(
                f"another sweep is writing to {self.path}; wait for it or name another store."
            ) from error

    def records(self) -> dict[str, Record]:
        """Return all runs by their identity; none if there is no file yet."""
        rows = self._read("SELECT id, config, result, error, seconds, host, finished FROM runs")
        return {
            id: Record(id, json.loads(config), result and RunResult(**json.loads(result)), *others)
            for id, config, result, *others in rows
        }

    def finished(self, any_code: bool = False) -> dict[str, Record]:
        """Return all runs by identity: those of this version of the code, or of any."""
        return self.records_of_any_code() if any_code else self.records()

    def records_of_any_code(self) -> dict[str, Record]:
        """Return all runs by the identity that their configurations have now; of several, the last
        finished one.

        Runs of an earlier version of the code count as if they were of this one; the reader must
        want that.
        """
        failed_first = sorted(self.records().values(), key=lambda record: record.done)
        return {id: record for record in failed_first if (id := record.current_id()) is not None}

    def curves(self) -> dict[str, dict[str, list[float]]]:
        """Return the curves of all finished runs by the runs' identity."""
        rows = self._read("SELECT id, curves FROM runs WHERE curves IS NOT NULL")
        return {id: _numbers(json.loads(curves)) for id, curves in rows}

    def predictions(self) -> dict[str, bytes]:
        """Return the predictions of all finished runs that have any by the runs' identity; see
        `predictions.from_bytes`.
        """
        try:
            return dict(self._read("SELECT id, predictions FROM runs WHERE predictions NOT NULL"))
        except sqlite3.OperationalError:  # a file of the format before, that nobody wrote to since
            return {}

    def scopes(self) -> dict[str, dict[str, Any]]:
        """Return the experiments that were run, each with the scope of the last time."""
        rows = self._read("SELECT experiment, scope FROM sweeps")
        return {experiment: json.loads(scope) for experiment, scope in rows}

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with self._connected("ro") as connection:
            return connection.execute(f"{query} ORDER BY rowid").fetchall()

    @contextmanager
    def _connected(self, mode: str) -> Iterator[sqlite3.Connection]:
        """Open the file and refuse one that is no store; an empty one to write to becomes one."""
        # A reader, too, needs a file beside the store, unless it says that nobody is writing.
        frozen = "" if os.access(self.path.parent, os.W_OK) else "&immutable=1"
        address = f"{self.path.absolute().as_uri()}?mode={mode}{frozen}"
        try:
            connection = sqlite3.connect(address, SECONDS_TO_WAIT, uri=True)
        except sqlite3.OperationalError as error:
            raise SmixupError(f"cannot open the store {self.path}: {error}.") from error
        with closing(connection):
            found, empty = _format(connection, self.path)
            if empty and mode == "rwc":
                connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
            elif found == BEFORE and mode == "rwc":
                connection.executescript(f"BEGIN; {UPGRADE} COMMIT;")
            elif found not in (FORMAT, BEFORE):
                raise SmixupError(
                    f"{self.path} is no store of this version of smixup (format {found}, not "
                    f"{FORMAT}); name another."
                )
            yield connection


@dataclass(frozen=True)
class Writer:
    """The driver's access to a store."""

    connection: sqlite3.Connection

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Write what came of a job; it is on disk when this returns. A failed run gives way to a
        later one.
        """
        what = outcome.id, dict(job.config), outcome.result, outcome.error
        self.add([Record(*what, outcome.seconds, outcome.host, _now())])

    def remember(self, experiment: str, scope: Mapping[str, Any]) -> None:
        """Write which part of an experiment is being run, so that tables show that part."""
        self.add([], {experiment: scope})

    def add(
        self, runs: Iterable[Record], scopes: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        """Write runs, with curves and predictions of their results, and parts of experiments, all
        of them or none; each takes the place of what there was under its name.
        """
        parts = ((name, json.dumps(scope), _now()) for name, scope in (scopes or {}).items())
        replace = "INSERT OR REPLACE INTO"
        with self.connection:
            self.connection.executemany(
                f"{replace} runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_row, runs)
            )
            self.connection.executemany(f"{replace} sweeps VALUES (?, ?, ?)", parts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _row(run: Record) -> tuple[str | float | bytes | None, ...]:
    config, result, curves, predictions = json.dumps(run.config, sort_keys=True), None, None, None
    if run.result is not None:
        result = json.dumps(run.result.scores())
        curves = json.dumps(_nulls(run.result.curves)) if run.result.curves else None
        predictions = run.result.predictions or None
    about = (run.error, run.seconds, run.host, run.finished)
    return run.id, config, result, curves, *about, predictions


def _nulls(curves: Mapping[str, list[float]]) -> dict[str, list[float | None]]:
    """Return curves with null, which JSON has, for nan, which it has not: epochs without a test."""
    return {
        name: [None if math.isnan(number) else number for number in curve]
        for name, curve in curves.items()
    }


def _numbers(curves: Mapping[str, list[float | None]]) -> dict[str, list[float]]:
    """Return curves with nan for null, as they were before `_nulls`."""
    return {
        name: [math.nan if number is None else number for number in curve]
        for name, curve in curves.items()
    }


def _format(connection: sqlite3.Connection, path: Path) -> tuple[int, bool]:
    """Return the format of a file, and whether there is nothing in it."""
    try:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        return found, connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    except sqlite3.DatabaseError as error:
        raise SmixupError(f"{path} is not a store of runs: {error}; name another file.") from error
