"""One damaged page does not hide the rows of the others."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from smixup.app.sweeps.salvage import readable_rows

PAGE, LEAF_OF_TABLE = 4096, 13
ROWS = 40


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, text TEXT)")
        rows = ((f"id {n}", str(n) * 300) for n in range(ROWS))
        connection.executemany("INSERT INTO runs VALUES (?, ?)", rows)
    connection.close()
    return path


def read(file: Path) -> tuple[list[tuple[str, ...]], list[str]]:
    connection = sqlite3.connect(file)
    try:
        return readable_rows(connection, "runs", ("id", "text"))
    finally:
        connection.close()


def test_a_whole_table_is_read_in_order(file: Path) -> None:
    rows, damaged = read(file)
    assert rows == [(f"id {n}", str(n) * 300) for n in range(ROWS)]
    assert damaged == []


def test_every_leaf_may_be_damaged(file: Path) -> None:
    whole, content = read(file)[0], file.read_bytes()
    leaves = [p for p in range(2, len(content) // PAGE) if content[p * PAGE] == LEAF_OF_TABLE]
    assert len(leaves) > 2
    for leaf in leaves:
        file.write_bytes(content[: leaf * PAGE] + b"\xff" * PAGE + content[(leaf + 1) * PAGE :])
        rows, damaged = read(file)
        assert set(rows) < set(whole)
        assert len(rows) >= ROWS // 2
        assert len(rows) + len(damaged) == ROWS, "every other row is named"
        assert all(each.startswith("row ") for each in damaged)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_page_that_tells_of_fewer_rows_is_named(tmp_path: Path, kept: int) -> None:
    """SQLite reads it without a word, but the index knows how many rows there are."""
    file = tmp_path / "few.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, text TEXT)")
        connection.executemany("INSERT INTO runs VALUES (?, '')", [("a",), ("b",), ("c",)])
    connection.close()
    content = bytearray(file.read_bytes())
    assert content[PAGE] == LEAF_OF_TABLE
    content[PAGE + 3 : PAGE + 5] = kept.to_bytes(2, "big")  # how many rows the page has
    file.write_bytes(content)
    words = "1 row of" if kept == 2 else f"{3 - kept} rows of"
    assert read(file) == (
        [("a", ""), ("b", "")][:kept],
        [f"{words} runs, as a page is damaged"],
    )


def test_what_others_write_meanwhile_is_no_damage(file: Path) -> None:
    with sqlite3.connect(file) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
    reader = sqlite3.connect(file)
    noted = 0

    def write(*_: object) -> None:
        nonlocal noted
        noted += 1
        writer.execute("INSERT INTO runs VALUES (?, '')", (f"more {noted}",))
        writer.commit()

    reader.set_trace_callback(write)  # before every statement of the reader
    rows, damaged = readable_rows(reader, "runs", ("id", "text"))
    assert noted > 1 and len(rows) >= ROWS
    assert damaged == []
    reader.set_trace_callback(None)
    reader.close()
    writer.close()


def test_of_a_table_that_is_not_there_the_reason_is_told(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE runs")
    connection.close()
    assert read(file) == ([], ["table runs: no such table: runs"])
