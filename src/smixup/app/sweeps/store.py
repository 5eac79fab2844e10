"""Finished runs in one SQLite file, which survives whatever happens to the process that writes it.

The file is in write-ahead mode: a run is there completely or not at all, and others may read while
a sweep writes. After every run the log is brought into the file, so that a copy of the file alone
has all of them.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.salvage import UNREADABLE, Row, readable_rows
from smixup.app.sweeps.store_format import FORMAT, WITH_DATA, columns_in, format_of, upgrade
from smixup.app.sweeps.stored_row import (
    COLUMNS,
    DIGEST,
    OF_RUN,
    Curves,
    DamagedRow,
    curves_of,
    digest,
    predictions_of,
    record_of,
    to_row,
)
from smixup.errors import SmixupError
from smixup.warning import warn_user

SECONDS_TO_WAIT = 60.0
NAMED = 3
"""How many damaged rows a warning names."""

Key = tuple[str, str]
Read = TypeVar("Read")


@dataclass(frozen=True)
class Store:
    """The runs of one file.

    Attributes:
        path: of the file. `FILE.lock` beside it keeps a second driver away, by whatever name that
            one came.
    """

    path: Path

    @property
    def workspace(self) -> Path:
        """Where workers keep fitted matchers and unfinished runs; it may be deleted when no sweep
        is running.
        """
        return self._beside("workspace")

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open the file for the one process that may write, and make it if there is none."""
        try:
            self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
            self._require_plain_file()
            with (
                FileLock(self._beside("lock"), timeout=0),
                self._connected("rwc") as (connection, found),
            ):
                if found != FORMAT:
                    upgrade(connection, self.path, found)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                writer = Writer(connection)
                yield writer
                writer.settle()
        except Timeout as error:
            raise SmixupError(
                f"another sweep is writing to {self.path}; wait for it or name another store."
            ) from error
        except UNREADABLE as error:
            raise SmixupError(
                f"cannot write to the store {self.path}: {error}; what it holds stays."
            ) from error
        except OSError as error:
            if not self._is_about(error):
                raise
            raise SmixupError(
                f"cannot write to the store {self.path}: {error.strerror or error}."
            ) from error

    def records(self) -> dict[str, Record]:
        """Return all runs by their identity, of every dataset those on the data that was run last;
        none if there is no file yet.
        """
        at_hand = self.data()
        return {
            run.id: run
            for run in self.all_records()
            if run.data in ("", at_hand.get(str(run.config.get("dataset")), run.data))
        }

    def all_records(self) -> list[Record]:
        """Return all runs, those on data that is no longer at hand too."""
        rows = self._read("runs", (*OF_RUN, DIGEST))
        return list(self._understood(record_of, rows).values())

    def whole_records(self) -> list[Record]:
        """Return all runs with their curves and predictions."""
        curves, predictions = self._curves(), self._predictions()
        return [_whole(run, curves, predictions) for run in self.all_records()]

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

    def curves(self) -> dict[str, Curves]:
        """Return the curves of all finished runs by the runs' identity."""
        return self._of_records(self._curves())

    def predictions(self) -> dict[str, bytes]:
        """Return the predictions of all finished runs that have any by the runs' identity; see
        `predictions.from_bytes`.
        """
        return self._of_records(self._predictions())

    def scopes(self) -> dict[str, dict[str, Any]]:
        """Return the experiments that were run, each with the scope of the last time."""
        rows = self._read("sweeps", ("experiment", "scope", "started", DIGEST))
        found = self._understood(_scope, rows)
        return {experiment: scope for (experiment, _), scope in found.items()}

    def data(self) -> dict[str, str]:
        """Return the fingerprint of the data that was run last, by dataset; see
        `datasets.fingerprint`.
        """
        rows = self._read("data", ("dataset", "fingerprint", DIGEST))
        return dict(self._understood(_fingerprint, rows).keys())

    def _curves(self) -> dict[Key, Curves]:
        columns = ("id", "data", "curves", f"curves_{DIGEST}")
        found = self._understood(curves_of, self._read("runs", columns))
        return {key: curves for key, curves in found.items() if curves}

    def _predictions(self) -> dict[Key, bytes]:
        columns = ("id", "data", "predictions", f"predictions_{DIGEST}")
        found = self._understood(predictions_of, self._read("runs", columns))
        return {key: predictions for key, predictions in found.items() if predictions}

    def _of_records(self, found: Mapping[Key, Read]) -> dict[str, Read]:
        keys = ((run.id, run.data) for run in self.records().values())
        return {key[0]: found[key] for key in keys if key in found}

    def _understood(self, read: Callable[[Row], Read], rows: Iterable[Row]) -> dict[Key, Read]:
        """Return what rows tell, by their first two columns; those that are damaged are named."""
        found, damaged = {}, []
        for row in rows:
            try:
                found[row[0], row[1]] = read(row)
            except DamagedRow as error:
                damaged.append(str(error))
        self._name(damaged)
        return found

    def _read(self, table: str, columns: tuple[str, ...]) -> list[Row]:
        if not self.path.exists():
            return []
        with self._connected("ro") as (connection, found):
            if not found or (table == "data" and found not in WITH_DATA):
                return []
            rows, damaged = readable_rows(connection, table, columns_in(found, table, columns))
        self._name(damaged)
        return rows

    def _name(self, damaged: Sequence[str]) -> None:
        if damaged:
            more = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
            warn_user(
                f"{self.path} is damaged and was read without {'; '.join(damaged[:NAMED])}{more}: "
                f"`smixup sweep import {self.path} --store NEW` takes over the rest."
            )

    @property
    def _real(self) -> Path:
        """The file, however it was named."""
        return self.path.resolve()

    def _beside(self, what: str) -> Path:
        real = self._real
        return real.with_name(f"{real.name}.{what}")

    def _is_about(self, error: OSError) -> bool:
        """Tell whether an error speaks of the store, of a file beside it or a folder above."""
        names = str(self._real), str(error.filename)
        return error.filename is not None and (
            names[1].startswith(names[0]) or names[0].startswith(names[1])
        )

    def _require_plain_file(self) -> None:
        """Refuse what is no file, and a file that has two names: SQLite finds its log by name."""
        if self.path.exists() and not self.path.is_file():
            raise SmixupError(f"the store {self.path} is no file: name another.")
        if self.path.is_file() and self.path.stat().st_nlink > 1:
            raise SmixupError(
                f"{self.path} has a second name (a hard link), and what is written by one would be "
                "missing by the other: make a copy instead, or a symbolic link."
            )

    @contextmanager
    def _connected(self, mode: str) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Open the file, and tell its format; refuse one that is no store."""
        # A reader, too, needs a file beside the store, unless it says that nobody is writing.
        real = self._real
        frozen = "" if os.access(real.parent, os.W_OK) else "&immutable=1"
        address = f"{real.as_uri()}?mode={mode}{frozen}"
        try:
            connection = sqlite3.connect(address, timeout=SECONDS_TO_WAIT, uri=True)
        except sqlite3.OperationalError as error:
            raise SmixupError(f"cannot open the store {self.path}: {error}.") from error
        with closing(connection):
            found = format_of(connection, self.path)
            if not found and mode != "rwc" and self.path.stat().st_size:
                raise SmixupError(f"{self.path} is no store of this version of smixup.")
            yield connection, found


@dataclass(frozen=True)
class Writer:
    """The driver's access to a store."""

    connection: sqlite3.Connection

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Write what came of a job; it is on disk when this returns. A failed run gives way to a
        later one.
        """
        what = outcome.id, dict(job.config), outcome.result, outcome.error
        run = Record(*what, outcome.seconds, outcome.host, _now(), outcome.data)
        self.add([run], data={str(run.config["dataset"]): run.data} if run.data else None)

    def remember(self, experiment: str, scope: Mapping[str, Any]) -> None:
        """Write which part of an experiment is being run, so that tables show that part."""
        self.add([], {experiment: scope})

    def use(self, data: Mapping[str, str]) -> None:
        """Write which data is at hand, by dataset; runs on other data no longer count."""
        self.add([], data={name: each for name, each in data.items() if each})

    def add(
        self,
        runs: Iterable[Record],
        scopes: Mapping[str, Mapping[str, Any]] | None = None,
        data: Mapping[str, str] | None = None,
    ) -> None:
        """Write runs, with curves and predictions of their results, parts of experiments, and which
        data is at hand, all of them or none; each takes the place of what there was under its name.
        """
        parts = ((name, json.dumps(scope), _now()) for name, scope in (scopes or {}).items())
        replace, marks = "INSERT OR REPLACE INTO", ", ".join("?" * len(COLUMNS))
        with self.connection:
            self.connection.executemany(
                f"{replace} runs ({', '.join(COLUMNS)}) VALUES ({marks})", map(to_row, runs)
            )
            self.connection.executemany(
                f"{replace} sweeps VALUES (?, ?, ?, ?)", ((*part, digest(*part)) for part in parts)
            )
            self.connection.executemany(
                f"{replace} data VALUES (?, ?, ?)",
                ((*each, digest(*each)) for each in (data or {}).items()),
            )
        with suppress(sqlite3.OperationalError):  # what is in the log is safe there
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def settle(self) -> None:
        """Leave all runs in the file itself, as far as nobody is reading it just now."""
        with suppress(sqlite3.OperationalError):
            self.connection.execute("PRAGMA busy_timeout = 1000")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _whole(run: Record, curves: Mapping[Key, Curves], predictions: Mapping[Key, bytes]) -> Record:
    if run.result is None:
        return run
    key = run.id, run.data
    apart: dict[str, Any] = {
        "curves": curves.get(key, {}),
        "predictions": predictions.get(key, b""),
    }
    return replace(run, result=replace(run.result, **apart))


def _fingerprint(row: Row) -> str:
    *told, expected = row
    if expected is not None and digest(*told) != expected:
        raise DamagedRow(f"the data of {told[0]}: its digest does not fit")
    return str(told[1])


def _scope(row: Row) -> dict[str, Any]:
    *told, expected = row
    if expected is not None and digest(*told) != expected:
        raise DamagedRow(f"the part of {told[0]}: its digest does not fit")
    try:
        return dict(json.loads(told[1]))
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedRow(f"the part of {told[0]}: {error}") from error
