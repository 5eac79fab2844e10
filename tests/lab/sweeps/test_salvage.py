"""One damaged page does not hide the rows of the others."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from smixup.lab.sweeps.salvage import readable_rows

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


def test_of_a_table_that_is_not_there_the_reason_is_told(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE runs")
    connection.close()
    assert read(file) == ([], ["table runs: no such table: runs"])
