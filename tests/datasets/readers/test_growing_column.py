"""A column is numbers or text, whatever its blocks are; a cell that is neither is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_cells import texts

from smixup.datasets.readers import csv_blocks
from smixup.datasets.readers.streamed_table import read_columns
from smixup.errors import SmixupError


def test_a_column_with_numbers_and_names_is_text(block: int, tmp_path: Path) -> None:
    cells = [*map(str, range(40)), "x", *map(str, range(40))]
    (tmp_path / "a.csv").write_text("k\n" + "\n".join(cells))
    assert texts(read_columns(tmp_path / "a.csv", {"k": False})["k"]) == cells


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"k\n" + b"ok\n" * 10_000 + b"\xff\n")
    with pytest.raises(SmixupError, match=r"column 'k' of a.csv is not UTF-8"):
        read_columns(tmp_path / "a.csv", {"k": False})


@pytest.mark.parametrize("odd", ["1_0", "0x10", "10L", "\uff11\uff10", "\u00a010"])
def test_a_cell_among_numbers_that_is_none_is_told(odd: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"k\n1.5\n2\n{odd}\n", encoding="utf-8")
    told = (
        "in row 3 of a.csv, column 'k', is no finite number, as most others are: mend it, or name"
    )
    with pytest.raises(SmixupError, match=told):
        read_columns(tmp_path / "a.csv", {"k": None})
    assert len(texts(read_columns(tmp_path / "a.csv", {"k": False})["k"])) == 3


def test_a_kind_that_changes_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 8)
    (tmp_path / "a.csv").write_text("k\n" + "1\n" * 10 + "red\n")
    with pytest.raises(SmixupError, match=r"'red' in row 11 .* name it in categories"):
        read_columns(tmp_path / "a.csv", {"k": None})


def test_names_with_an_underscore_are_no_numbers(block: int, tmp_path: Path) -> None:
    cells = [f"{k}_{k % 3}" for k in range(9)]
    (tmp_path / "a.csv").write_text("k\n" + "\n".join(cells))
    assert texts(read_columns(tmp_path / "a.csv", {"k": None})["k"]) == cells
