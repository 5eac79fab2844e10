"""Large tables are read as `tables.py` reads small ones, block by block."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smixup.datasets.readers import streamed_table
from smixup.datasets.readers.streamed_table import Texts, factorise, read_columns
from smixup.datasets.readers.tables import read_table
from smixup.errors import SmixupError

AWKWARD = [
    "a",
    "b b",
    "ä€",
    "007",
    "7",
    "",
    "-1",
    "a very long name, with a comma",
    'a "quote"',
    "x\ny",
]


def texts(column: Any) -> list[str]:
    assert isinstance(column, Texts)
    values = column.texts()
    return [values[code] for code in column.codes]


@pytest.fixture(params=[64, 1 << 20])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(streamed_table, "BLOCK", request.param)
    monkeypatch.setattr(streamed_table, "ROWS", 3)
    return int(request.param)


@pytest.mark.parametrize("cells", [AWKWARD, AWKWARD[:7], ["10", "9", "0"] * 30, ["n1", "n10"] * 40])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_text_is_what_the_plain_reader_finds(
    cells: list[str], ends: str, block: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator=ends)
        writer.writerows([("k", "v"), *((str(place), cell) for place, cell in enumerate(cells))])
    found, expected = read_columns(path, {"v": False, "k": True}), read_table(path)
    assert texts(found["v"]) == list(expected["v"])
    assert found["k"].tolist() == list(range(len(cells)))


def test_values_are_in_order_and_whole_numbers_by_size(block: int, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k;v\n" + "".join(f"{k};b{k}\n" for k in (10, 9, 100, 9)))
    found = read_columns(tmp_path / "a.csv", {"k": False, "v": False})
    assert found["k"].texts() == ["9", "10", "100"]
    assert found["v"].texts() == ["b10", "b100", "b9"]


def test_a_column_with_numbers_and_names_is_text(block: int, tmp_path: Path) -> None:
    cells = [*map(str, range(40)), "x", *map(str, range(40))]
    (tmp_path / "a.csv").write_text("k\n" + "\n".join(cells))
    assert texts(read_columns(tmp_path / "a.csv", {"k": False})["k"]) == cells


@pytest.mark.parametrize("length", [1, 8, 9, 30])
def test_factorise_is_numpys_unique(length: int) -> None:
    random = np.random.default_rng(length)
    letters = random.integers(97, 100, (500, length), dtype=np.uint8)
    letters[random.random(500) < 0.3, length // 2 :] = 0
    cells = letters.view(f"S{length}").reshape(-1)
    values, codes = factorise(cells)
    expected, places = np.unique(cells, return_inverse=True)
    assert values.tolist() == expected.tolist() and codes.tolist() == places.tolist()


def test_parquet_is_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(streamed_table, "ROWS", 2)
    columns = {
        "id": [3, 10, -1],
        "name": ["a", "ä", "a"],
        "f": [1.0, 2.0, 7.0],
        "b": [True, False, True],
    }
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
    found = read_columns(
        tmp_path / "a.parquet", {"id": False, "name": False, "f": False, "b": None}
    )
    assert texts(found["id"]) == ["3", "10", "-1"] and texts(found["name"]) == ["a", "ä", "a"]
    assert texts(found["f"]) == ["1", "2", "7"] and found["b"].tolist() == [1.0, 0.0, 1.0]
    parquet.write_table(arrow.table({"id": [3, None, 1]}), tmp_path / "b.parquet")
    with pytest.raises(SmixupError, match=r"row 2 of b.parquet is empty in column 'id'"):
        read_columns(tmp_path / "b.parquet", {"id": False})


BROKEN = {
    "a word": ("k,v\n1,a\nx,b\n", "'x' in row 2 of a.csv, column 'k', is no finite number"),
    "a number as Python spells it": ("k,v\n1,a\n1_0,b\n", "'1_0' in row 2 of a.csv, column 'k'"),
    "a gap": ("k,v\n1,a\n,b\n", "'' in row 2 of a.csv, column 'k'"),
    "no end": ("k,v\n1,a\n2,b\ninf,c\n", "'inf' in row 3 of a.csv, column 'k'"),
    "a row too short": ("k,v\n1,a\n2\n", "row 2 of a.csv has 1 cells where the first line names 2"),
    "a row too long": ('k,v\n1,"a"\n2,3,4\n', "row 2 of a.csv has 3 cells"),
    "an empty row": ("k,v\n1,a\n\n2,b\n", "row 2 of a.csv is empty"),
    "a quote that is not closed": ('k,v\n1,a\n2,"b\n', "is a quote not closed"),
    "no such column": ("k,w\n1,a\n", "a.csv has no column 'v'"),
    "a long cell": ("k,v\n1," + "a" * 300 + "\n", "row 1 of a.csv has a cell of 300 letters"),
    "no text": ("k,v\n1,\0\n", "a.csv is no text near row 1"),
    "no text beside quotes": ('k,v\n1,"a"\n2\0\0,b\n', "a.csv is no text near row 2"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_tables_are_refused_with_the_place(case: str, tmp_path: Path) -> None:
    text, told = BROKEN[case]
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(SmixupError, match=told):
        read_columns(tmp_path / "a.csv", {"k": True, "v": False})


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
    monkeypatch.setattr(streamed_table, "BLOCK", 8)
    (tmp_path / "a.csv").write_text("k\n" + "1\n" * 10 + "red\n")
    with pytest.raises(SmixupError, match=r"'red' in row 11 .* name it in categories"):
        read_columns(tmp_path / "a.csv", {"k": None})


def test_a_last_line_counts_however_it_ends(block: int, tmp_path: Path) -> None:
    for ends in ("", "\n"):
        (tmp_path / "a.tsv").write_text(f"k\tv\na\tb\n\t{ends}")
        found = read_columns(tmp_path / "a.tsv", {"k": False, "v": False})
        assert (texts(found["k"]), texts(found["v"])) == (["a", ""], ["b", ""])
    (tmp_path / "a.csv").write_text("k,v\na,b\n  ")
    assert texts(read_columns(tmp_path / "a.csv", {"k": False})["k"]) == ["a"], "a blank line"


def test_names_with_an_underscore_are_no_numbers(block: int, tmp_path: Path) -> None:
    cells = [f"{k}_{k % 3}" for k in range(9)]
    (tmp_path / "a.csv").write_text("k\n" + "\n".join(cells))
    assert texts(read_columns(tmp_path / "a.csv", {"k": None})["k"]) == cells


def test_a_line_end_of_cr_within_a_line_is_refused(block: int, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"k,v\r\n1,a\r\n2,b\rc\r\n3,d\r\n")
    with pytest.raises(SmixupError, match=r"row 2 of a.csv has a line end of CR alone"):
        read_columns(tmp_path / "a.csv", {"v": False})
    (tmp_path / "a.csv").write_bytes(b'k,v\r\n1,a\r\n2,"b\rc"\r\n3,d\r\n')
    assert texts(read_columns(tmp_path / "a.csv", {"v": False})["v"]) == ["a", "b\rc", "d"]
