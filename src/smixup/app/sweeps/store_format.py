"""The tables of a store, and how files of earlier formats become files of this one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from smixup.app.sweeps.salvage import UNREADABLE, Row, readable_rows
from smixup.app.sweeps.stored_row import APART, COLUMNS, DIGEST, OF_RUN, digest, with_digests
from smixup.errors import SmixupError

FORMAT = 5  # rises with every change of the tables below, or of the fields of `RunResult`
WITHOUT_DIGESTS_OF_DATA = 4
WITHOUT_DIGESTS = 3  # nor with the data of a run
WITHOUT_PREDICTIONS = 2  # nor with digests
WITH_DATA = (FORMAT, WITHOUT_DIGESTS_OF_DATA)
READ = (*WITH_DATA, WITHOUT_DIGESTS, WITHOUT_PREDICTIONS)

SCHEMA = (
    """
    CREATE TABLE runs (
        id TEXT NOT NULL, data TEXT NOT NULL, config TEXT NOT NULL, result TEXT, error TEXT,
        seconds REAL NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL,
        curves TEXT, predictions BLOB,
        digest TEXT NOT NULL, curves_digest TEXT NOT NULL, predictions_digest TEXT NOT NULL,
        PRIMARY KEY (id, data)
    )
    """,
    """
    CREATE TABLE sweeps (
        experiment TEXT PRIMARY KEY, scope TEXT NOT NULL, started TEXT NOT NULL,
        digest TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE data (
        dataset TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, digest TEXT NOT NULL
    )
    """,
    f"PRAGMA user_version = {FORMAT}",
)
LACKING = {
    "data": "'' AS data",
    "predictions": "NULL AS predictions",
    DIGEST: f"NULL AS {DIGEST}",
    **{f"{name}_{DIGEST}": f"NULL AS {name}_{DIGEST}" for name in APART},
}
"""What to read in the place of columns that a file of an earlier format does not have."""


def format_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the format of a file, 0 if there is nothing in it; refuse what is no store."""
    try:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        empty = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    except sqlite3.OperationalError as error:
        raise SmixupError(f"cannot read the store {path}: {error}.") from error
    except UNREADABLE as error:
        raise SmixupError(f"{path} is not a store of runs: {error}; name another file.") from error
    if found not in READ and not (empty and found == 0):
        raise SmixupError(
            f"{path} is no store of this version of smixup (format {found}, not {FORMAT}); name "
            "another."
        )
    return 0 if empty else int(found)


def columns_in(found: int, table: str, columns: tuple[str, ...]) -> list[str]:
    """Return columns of a table as they are to be read from a file of a format."""
    lacking: set[str] = set()
    if found not in WITH_DATA:
        lacking = LACKING.keys() - ({"predictions"} if found == WITHOUT_DIGESTS else set())
    elif found != FORMAT and table == "data":
        lacking = {DIGEST}
    return [LACKING[name] if name in lacking else name for name in columns]


def upgrade(connection: sqlite3.Connection, path: Path, found: int) -> None:
    """Make the tables of an empty file, or bring those of an earlier format into today's, in one
    step; nothing is left out.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        (_upgrade_data if found in WITH_DATA else _upgrade_all)(connection, path, found)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _upgrade_data(connection: sqlite3.Connection, path: Path, found: int) -> None:
    """Give digests to the rows of one table; the others have theirs, and keep them."""
    rows = _all(connection, path, "data", ["dataset", "fingerprint"])
    connection.execute("DROP TABLE data")
    *_, table, version = SCHEMA
    connection.execute(table)
    connection.executemany(
        "INSERT INTO data VALUES (?, ?, ?)", ((*row, digest(*row)) for row in rows)
    )
    connection.execute(version)


def _upgrade_all(connection: sqlite3.Connection, path: Path, found: int) -> None:
    runs: list[Row] = []
    sweeps: list[Row] = []
    if found:
        runs = _all(connection, path, "runs", columns_in(found, "runs", (*OF_RUN, *APART)))
        sweeps = _all(connection, path, "sweeps", ["experiment", "scope", "started"])
        connection.execute("DROP TABLE runs")
        connection.execute("DROP TABLE sweeps")
    for statement in SCHEMA:
        connection.execute(statement)
    rows = (with_digests(row[: len(OF_RUN)], *row[len(OF_RUN) :]) for row in runs)
    marks = ", ".join("?" * len(COLUMNS))
    connection.executemany(f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({marks})", rows)
    connection.executemany(
        "INSERT INTO sweeps VALUES (?, ?, ?, ?)", ((*row, digest(*row)) for row in sweeps)
    )


def _all(connection: sqlite3.Connection, path: Path, table: str, columns: list[str]) -> list[Row]:
    rows, damaged = readable_rows(connection, table, columns)
    if damaged:
        raise SmixupError(
            f"{path} is damaged ({damaged[0]}): `smixup sweep import {path} --store NEW` takes "
            "over what can be read."
        )
    return rows
