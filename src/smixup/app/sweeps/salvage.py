"""Rows of a table of which pages are damaged: one bad page does not hide the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Row = tuple[Any, ...]
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What sqlite3 raises where a file is damaged; the second, if the damage stands in its words."""


def readable_rows(
    connection: sqlite3.Connection, table: str, columns: Sequence[str]
) -> tuple[list[Row], list[str]]:
    """Return the rows of a table that can be read, in the order in which they were written, and of
    each of the others why it cannot.
    """
    chosen = f"SELECT {', '.join(columns)} FROM {table}"
    try:
        with _at_one_moment(connection):
            rows = connection.execute(f"{chosen} ORDER BY rowid").fetchall()
            lost = _known_to_the_index(connection, table) - len(rows)
        words = f"{lost} {'row' if lost == 1 else 'rows'} of {table}, as a page is damaged"
        return rows, [words] if lost > 0 else []
    except UNREADABLE as error:
        places = _places(connection, table)
        if not places:
            return [], [f"table {table}: {error}"]
    found, reasons = [], []
    for place in sorted(places):
        try:
            found += connection.execute(f"{chosen} WHERE rowid = ?", (place,)).fetchall()
        except UNREADABLE as error:
            reasons.append(f"row {place} of {table}: {error}")
    return found, reasons


@contextmanager
def _at_one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """See the file as it is now, whatever others write meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.rollback()


def _known_to_the_index(connection: sqlite3.Connection, table: str) -> int:
    """Return how many rows the index of the key has: a page of the table that says that it is
    empty is read without a word.
    """
    try:
        index = f"{table} INDEXED BY sqlite_autoindex_{table}_1"
        return int(connection.execute(f"SELECT count(*) FROM {index}").fetchone()[0])
    except UNREADABLE:
        return 0


def _places(connection: sqlite3.Connection, table: str) -> set[int]:
    """Return the numbers of rows as far as anything tells them: the table itself from both ends,
    and the index of its key, which stands on pages of its own.
    """
    index = f"{table} INDEXED BY sqlite_autoindex_{table}_1"
    found: set[int] = set()
    for source in (f"{table} ORDER BY rowid", f"{table} ORDER BY rowid DESC", index):
        try:
            for (place,) in connection.execute(f"SELECT rowid FROM {source}"):
                found.add(place)
        except UNREADABLE:
            continue
    return found
