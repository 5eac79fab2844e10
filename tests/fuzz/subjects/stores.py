"""Stores of runs: bytes and rows of them are damaged; accepted are rows that hold what was
written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store

from ..harness import Subject, same
from ..mutators import Files, odd_json

COLUMNS = (
    "id",
    "config",
    "result",
    "curves",
    "error",
    "seconds",
    "host",
    "finished",
    "predictions",
)
ODD = (
    None,
    "",
    "x",
    "\x1b[31m",
    -1,
    2**62,
    float("inf"),
    b"\0\xff",
    "[" * 50_000,
    "{}",
    "null",
    "[]",
)


def result(**changes: Any) -> RunResult:
    scores = {"test": 0.5, "validation": 0.5, "test_loss": 1.0, "calibration_error": 0.1}
    further = {"accuracy": 0.5, "rocauc": 0.5, "brier": 0.5, "temperature": 1.0}
    scaled = dict.fromkeys(("scaled_loss", "scaled_brier", "scaled_calibration_error"), 0.25)
    others = {"metric": "accuracy", "best_epoch": 1, "epochs": 2, "seconds": 1.5}
    fields = scores | further | scaled | others | {"versions": {"torch": "2"}} | changes
    return RunResult(**({"curves": {"test_loss": [2.0, 1.0]}} | fields))


def write_store(path: Path) -> None:
    store = Store(path)
    with store.writing() as writer:
        for seed in range(3):
            job = Job.of(configure("MOTIF", seed=seed))
            found = None if seed == 2 else result(test=0.25 * seed)
            error = None if found else "failed"
            writer.keep(job, Outcome(job.id, found, error, 1.0, "here", "a1b2"))
        writer.remember("quick", {"seeds": 2})


class Stores(Subject):
    name = "stores"

    def good(self) -> Sequence[Files]:
        path = self.work / "runs.db"
        write_store(path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        self.expected = self.read_file(path)
        return [{"runs.db": path.read_bytes()}]

    def damage(self, random: Random, files: Files) -> Files:
        if random.random() < 0.5:
            return super().damage(random, files)
        path = self.work / "odd.db"
        path.write_bytes(files["runs.db"])
        with closing(sqlite3.connect(path)) as connection, connection:
            _odd_row(random, connection)
        return {"runs.db": path.read_bytes()}

    def read(self, folder: Path) -> Any:
        return self.read_file(folder / "runs.db")

    def read_file(self, path: Path) -> Any:
        store = Store(path)
        records = store.records()
        runs = {
            id: (record.done, record.result and record.result.test)
            for id, record in records.items()
        }
        return (
            runs,
            store.curves(),
            store.predictions(),
            store.scopes(),
            len(store.records_of_any_code()),
        )

    def plain(self, files: Files) -> Any:
        if not files.get("runs.db"):  # no file, or one of no bytes, is a store without runs
            return {}, {}, {}, {}, 0
        return self.expected

    def fits(self, found: Any, expected: Any, told: Sequence[str]) -> bool:
        """What was written, or a part of it if the rest is named."""
        return same(found, expected) or (bool(told) and _is_part(found, expected))


def _is_part(found: Any, expected: Any) -> bool:
    *tables, number = found
    *whole, most = expected
    pairs = zip(tables, whole, strict=True)
    return number <= most and all(one.items() <= other.items() for one, other in pairs)


def _odd_row(random: Random, connection: sqlite3.Connection) -> None:
    """Change a cell, drop a column, or change the scope."""
    way = random.random()
    if way < 0.1:
        connection.execute(f"ALTER TABLE runs RENAME COLUMN {random.choice(COLUMNS)} TO x")
        return
    if way < 0.2:
        connection.execute(
            "UPDATE sweeps SET scope = ?", (random.choice((*ODD[1:], '{"seeds": 100000}')),)
        )
        return
    column = random.choice(COLUMNS)
    (rows,) = connection.execute("SELECT count(*) FROM runs").fetchone()
    row = random.randrange(rows)
    (cell,) = connection.execute(f"SELECT {column} FROM runs LIMIT 1 OFFSET {row}").fetchone()
    if isinstance(cell, str) and cell.startswith("{") and random.random() < 0.7:
        new: Any = json.dumps(odd_json(random, json.loads(cell)))
    else:
        new = random.choice(ODD)
    (id,) = connection.execute(f"SELECT id FROM runs LIMIT 1 OFFSET {row}").fetchone()
    try:
        connection.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (new, id))
    except sqlite3.IntegrityError:
        connection.execute(f"UPDATE runs SET {column} = '' WHERE id = ?", (id,))
