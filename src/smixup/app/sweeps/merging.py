"""Runs of other machines: stores and exports become part of a store, as far as they are of this
code.
"""

from __future__ import annotations

import csv
import gzip
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smixup.app.sweeps.exported import COUNTS, SCORES, from_line
from smixup.app.sweeps.exported_csv import from_csv
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.store import Key, Store
from smixup.errors import SmixupError, UsageError

STORE_BEGINS_WITH = b"SQLite format 3\0"
GZIP_BEGINS_WITH = b"\x1f\x8b"
Scopes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Source:
    """What a file holds: its runs, and the parts of experiments that were run."""

    path: Path
    runs: Sequence[Record]
    scopes: Scopes = field(default_factory=dict)


@dataclass(frozen=True)
class Contradiction:
    """Two results of one run: the one that is kept, and another.

    Attributes:
        kept: the run in the store, or in a file before.
        source: where another result of it stands.
        score: the name of a score in which they differ, and its two values.
    """

    kept: Record
    source: Path
    score: tuple[str, float, float]


@dataclass
class Merged:
    """What came of an import.

    Attributes:
        new: runs that the store did not have, by identity and data.
        known: how many it had.
        foreign: how many are of other code or other settings, and were left out.
        contradictions: known runs with other scores than the store's, which stay.
    """

    new: dict[Key, Record] = field(default_factory=dict)
    known: int = 0
    foreign: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)


def merge(store: Store, paths: Sequence[Path], any_code: bool = False) -> Merged:
    """Put the runs of other stores and of exports into a store, in one transaction.

    A run whose identity is not the one that its configuration has today is left out, unless runs of
    any code are wanted; it keeps its identity then, and counts where any code does. Of a run that
    the store has, the store's result stays; only a failure gives way to a result.

    Args:
        store: where to; it is made if there is none.
        paths: stores, or files that `smixup sweep export` wrote.
        any_code: take runs of other versions of the code, too.
    """
    for path in paths:
        if path.exists() and store.path.exists() and path.samefile(store.path):
            raise UsageError(f"{path} is the store itself: name another file, or another --store.")
    sources = [read_source(path) for path in paths]
    with store.writing() as writer:
        before, merged = {(run.id, run.data): run for run in store.all_records()}, Merged()
        for source in sources:
            _sort_in(source, before, merged, any_code)
        writer.add(merged.new.values(), _agreed(sources, store.scopes()))
    return merged


def read_source(path: Path) -> Source:
    """Return what a store or an export holds; of a run that it tells of twice alike, one."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(STORE_BEGINS_WITH))
        if begin == STORE_BEGINS_WITH:
            other = Store(path)
            return Source(path, other.whole_records(), other.scopes())
        return Source(path, list(_lines(path)))
    except OSError as error:
        raise SmixupError(f"cannot read {path}: {error.strerror}.") from error
    except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError) as error:
        raise SmixupError(f"{path} is a damaged store: {error}; nothing was imported.") from error


def difference(
    one: Record, other: Record, names: Sequence[str] = (*SCORES, *COUNTS)
) -> tuple[str, float, float] | None:
    """Return the first score in which two results differ, and its values; seconds and versions may
    differ, and a failure has no scores.
    """
    for name in names if one.result and other.result else ():
        first, second = (float(getattr(run.result, name)) for run in (one, other))
        if first != second and not (math.isnan(first) and math.isnan(second)):
            return name, first, second
    return None


def _sort_in(source: Source, before: Mapping[Key, Record], merged: Merged, any_code: bool) -> None:
    for run in source.runs:
        key = run.id, run.data
        old = merged.new.get(key, before.get(key))
        today = run.current_id()
        if today is None or (today != run.id and not any_code):
            merged.foreign += 1
        elif old is None or (run.done and not old.done):
            merged.new[key] = run
        elif (score := difference(old, run)) is not None:
            merged.contradictions.append(Contradiction(old, source.path, score))
        else:
            merged.known += 1


def _agreed(sources: Iterable[Source], known: Scopes) -> dict[str, Mapping[str, Any]]:
    """Return the parts of experiments that this store has never run, where all sources that have
    ran the same part; a table shows all of it otherwise.
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    for source in sources:
        for experiment, scope in source.scopes.items():
            found.setdefault(experiment, []).append(scope)
    return {
        name: scopes[0]
        for name, scopes in found.items()
        if name not in known and all(scope == scopes[0] for scope in scopes)
    }


def _lines(path: Path) -> Iterator[Record]:
    content = path.read_bytes()
    if content.startswith(GZIP_BEGINS_WITH):
        content = _unzipped(content, path)
    runs = _of_csv if content.startswith(b"experiment,") else _of_json
    seen: dict[Key, Record] = {}
    for run in runs(content, path):
        old = seen.setdefault((run.id, run.data), run)
        if old is run or old.done != run.done or difference(old, run):
            yield run
    if not seen:
        raise SmixupError(f"{path} is empty; nothing was imported.")


def _unzipped(content: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SmixupError(f"{path} is damaged: {error}; nothing was imported.") from error


def _of_json(content: bytes, path: Path) -> Iterator[Record]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            yield from_line(line.decode())
        except (ValueError, TypeError, RecursionError) as error:
            raise _no_run(path, number, _reason(error)) from error


def _of_csv(content: bytes, path: Path) -> Iterator[Record]:
    number = 1
    try:
        for number, run in from_csv(content.decode()):  # noqa: B007 - the last one that was read
            yield run
    except (ValueError, TypeError, csv.Error) as error:
        raise _no_run(path, number + 1, str(error)) from error


def _no_run(path: Path, line: int, reason: str) -> SmixupError:
    return SmixupError(
        f"line {line} of {path} is no run of a store or of `smixup sweep export`: {reason}; "
        "nothing was imported."
    )


def _reason(error: Exception) -> str:
    """Say why a line cannot be read; a decoder's own words are about characters."""
    return str(error) if type(error) is ValueError else "it is no JSON of ours"
