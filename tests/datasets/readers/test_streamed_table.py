"""Large tables are read as `tables.py` reads small ones, block by block."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from text_cells import texts

from smixup.datasets.readers.streamed_table import read_columns
from smixup.datasets.readers.tables import read_table

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
