"""Finished runs in one SQLite file: a run is there whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import smixup
from smixup.app.runs.config import RunConfig
from smixup.app.runs.run import RunResult
from smixup.datasets.catalogue import data_fingerprint
from smixup.errors import SmixupError

FORMAT = 6  # rises whenever the table changes; 0.2.0 wrote 5
SECONDS_TO_WAIT = 60.0  # for the end of what another process writes

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT NOT NULL, version TEXT NOT NULL, config TEXT NOT NULL, result TEXT NOT NULL,
    curves TEXT NOT NULL, predictions BLOB NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (key, version)
)
"""
SELECT = """
SELECT key, config, result, curves, predictions, seconds, version FROM runs
WHERE (:keys IS NULL OR key IN (SELECT value FROM json_each(:keys)))
    AND (:any OR version = :version)
ORDER BY version = :version, rowid
"""


@dataclass(frozen=True)
class Finished:
    """A run that was done, in how many seconds, by which version of smixup."""

    config: dict[str, Any]
    result: RunResult
    seconds: float
    version: str


def key_of(config: RunConfig, root: Path | None = None) -> str:
    """Return the name of a run: a hash of its configuration and of the data that it reads."""
    data = data_fingerprint(config.dataset, root)
    return sha256(f"{config.fingerprint()}/{data}".encode()).hexdigest()[:24]


class Store:
    """Finished runs in one file, made when needed, which several processes may read and write."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._said_plainly():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT)
            (version,) = self.db.execute("PRAGMA user_version").fetchone()
            empty = self.db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
            if version != FORMAT and not (version == 0 and empty):
                raise ValueError("it is no store of this version of smixup")
            self.db.execute("PRAGMA journal_mode = WAL")
            with self.db:
                self.db.execute(TABLE)
                self.db.execute(f"PRAGMA user_version = {FORMAT}")

    def keep(self, key: str, config: RunConfig, result: RunResult, seconds: float) -> None:
        """Write a run that was done, in the place of an earlier one of this key and version."""
        texts = (json.dumps(each) for each in (config.to_dict(), result.scores(), result.curves))
        row = (key, smixup.__version__, *texts, result.predictions, seconds)
        with self._said_plainly(), self.db:
            self.db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def fetch(
        self, keys: Iterable[str] | None = None, any_version: bool = False
    ) -> dict[str, Finished]:
        """Return runs by key; those of other versions, too, where this one has none."""
        wanted = None if keys is None else json.dumps(list(keys))
        asked = {"keys": wanted, "any": any_version, "version": smixup.__version__}
        known, found = {each.name for each in fields(RunResult)}, dict[str, Finished]()
        with self._said_plainly():
            for key, config, text, curves, predictions, *about in self.db.execute(SELECT, asked):
                scores = {name: each for name, each in json.loads(text).items() if name in known}
                result = RunResult(**scores, curves=json.loads(curves), predictions=predictions)
                found[key] = Finished(json.loads(config), result, *about)
        return found

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def _said_plainly(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise SmixupError(
                f"cannot use the store of runs {self.path}: {error}; if it is damaged or no store, "
                "name another file."
            ) from error
