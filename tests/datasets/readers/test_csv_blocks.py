"""Blocks end anywhere; rows are told by their number, wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_cells import texts

from smixup.datasets.readers.streamed_table import read_columns
from smixup.errors import SmixupError

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


def test_a_last_line_counts_however_it_ends(block: int, tmp_path: Path) -> None:
    for ends in ("", "\n"):
        (tmp_path / "a.tsv").write_text(f"k\tv\na\tb\n\t{ends}")
        found = read_columns(tmp_path / "a.tsv", {"k": False, "v": False})
        assert (texts(found["k"]), texts(found["v"])) == (["a", ""], ["b", ""])
    (tmp_path / "a.csv").write_text("k,v\na,b\n  ")
    assert texts(read_columns(tmp_path / "a.csv", {"k": False})["k"]) == ["a"], "a blank line"


def test_a_line_end_of_cr_within_a_line_is_refused(block: int, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"k,v\r\n1,a\r\n2,b\rc\r\n3,d\r\n")
    with pytest.raises(SmixupError, match=r"row 2 of a.csv has a line end of CR alone"):
        read_columns(tmp_path / "a.csv", {"v": False})
    (tmp_path / "a.csv").write_bytes(b'k,v\r\n1,a\r\n2,"b\rc"\r\n3,d\r\n')
    assert texts(read_columns(tmp_path / "a.csv", {"v": False})["v"]) == ["a", "b\rc", "d"]
