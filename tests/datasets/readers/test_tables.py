"""Tables are columns of text, whatever program wrote them, and faults are named by file and row."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smixup.datasets.readers.endings import is_table
from smixup.datasets.readers.tables import (
    advice_on,
    column_names,
    index_columns,
    listed,
    read_table,
    table_rows,
)
from smixup.errors import SmixupError, UsageError

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return path

    return written


EXPECTED = {"smiles": ("CCO", "C"), "y": ("1", "")}
WAYS = {
    "commas": ("smiles,y\nCCO,1\nC,\n", "a.csv"),
    "semicolons": ("smiles;y\nCCO;1\nC;\n", "a.csv"),
    "tabs": ("smiles\ty\nCCO\t1\nC\t\n", "a.csv"),
    "tsv": ("smiles\ty\nCCO\t1\nC\t\n", "a.TSV"),
    "gzipped": ("smiles,y\nCCO,1\nC,\n", "a.csv.gz"),
    "gzipped tsv": ("smiles\ty\nCCO\t1\nC\t\n", "a.tsv.gz"),
    "CRLF": ("smiles,y\r\nCCO,1\r\nC,\r\n", "a.csv"),
    "a mark": ("\ufeffsmiles,y\nCCO,1\nC,\n", "a.csv"),
    "a mark and quotes": ('\ufeff"smiles","y"\r\n"CCO","1"\r\n"C",""\r\n', "a.csv"),
    "no final newline": ("smiles,y\nCCO,1\nC,", "a.csv"),
    "empty lines at the end": ("smiles,y\nCCO,1\nC,\n\n\r\n", "a.csv"),
    "blanks around names": (" smiles , y\nCCO,1\nC,\n", "a.csv"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_table(write: Write, way: str) -> None:
    path = write(*WAYS[way])
    assert is_table(path)
    assert read_table(path) == EXPECTED
    assert column_names(path) == ("smiles", "y")
    assert list(table_rows(path, ["y"])) == [("1",), ("",)]


def test_columns_are_given_in_the_order_in_which_they_are_asked_for(write: Write) -> None:
    path = write("a,b,c\n1,2,3\n")
    assert list(read_table(path, ["c", "a"]).items()) == [("c", ("3",)), ("a", ("1",))]
    assert read_table(path, []) == {}


def test_quoted_cells_hold_anything(write: Write) -> None:
    path = write('name,y\n"a ""b"", c\nd",1\n')
    assert read_table(path) == {"name": ('a "b", c\nd',), "y": ("1",)}


def test_quoted_names_do_not_tell_what_parts_cells(write: Write) -> None:
    assert column_names(write('"a,b,c";d\n')) == ("a,b,c", "d")


def test_a_single_column(write: Write) -> None:
    assert read_table(write("smiles\nC\nCC\n")) == {"smiles": ("C", "CC")}


def test_names_alone(write: Write) -> None:
    assert read_table(write("a,b\n")) == {"a": (), "b": ()}


def test_a_column_without_a_name_is_called_by_its_place(write: Write) -> None:
    assert read_table(write(",y\n0,1\n")) == {"column 1": ("0",), "y": ("1",)}


FAULTS = {
    "empty": ("", r"data\.csv is empty: its first line must name"),
    "a blank line": ("\n\n", r"data\.csv is empty"),
    "too few cells": ("a,b\n1,2\n3\n", r"row 2 of data\.csv has 1 cell where .* 2 columns"),
    "too many cells": ("a,b\n1,2,3\n", r"row 1 of data\.csv has 3 cells where .* 2 columns"),
    "an empty line": ("a,b\n1,2\n\n3,4\n", r"row 2 of data\.csv is empty"),
    "one name twice": ("y,a,y\n1,2,3\n", r"data\.csv has 2 columns 'y': rename"),
    "an open quote": ('a,b\n1,2\n"3,4\n', r"row 2 of data\.csv cannot be read .* not closed"),
    "an open quote above": ('"a,b\n1,2\n', r"the first line of data\.csv cannot be read"),
    "behind a quote": ('a,b\n"1"x,2\n', r"row 1 of data\.csv cannot be read"),
    "latin-1": ("a,b\n1,2\nä,2\n".encode("latin-1"), r"line 3 of data\.csv is not UTF-8"),
    "latin-1 name": ("ä,b\n".encode("latin-1"), r"line 1 of data\.csv is not UTF-8"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), r"data\.csv is UTF-16: save it as UTF-8"),
    "a zip archive": (b"PK\x03\x04\x14\x00\xff", r"data\.csv is a zip archive .*, as Excel files"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1", r"data\.csv is an Excel file"),
    "gzipped": (gzip.compress(b"a,b\n1,2\n"), r"data\.csv is gzipped .*: let its name end in \.gz"),
    "parquet": (b"PAR1\0\xff", r"data\.csv is a parquet file"),
    "zeros": (b"a\0,\0b\0\n\0", r"data\.csv is no text"),
    "two kinds": ("a,b;c\n1,2;3\n", r"as many commas and semicolons"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(write: Write, fault: str) -> None:
    content, message = FAULTS[fault]
    with pytest.raises(SmixupError, match=message):
        read_table(write(content))


def test_the_line_that_is_not_utf_8_is_found_behind_what_was_read_ahead(write: Write) -> None:
    lines = [b"a\n", *[b"1\n"] * 9000, "ü\n".encode("latin-1"), *[b"1\n"] * 9000]
    with pytest.raises(SmixupError, match=r"line 9002 of"):
        read_table(write(b"".join(lines)))


def test_a_cut_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 10_000)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SmixupError, match=r"a\.csv\.gz cannot be read"):
        read_table(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(SmixupError, match=r"a\.csv\.gz is not gzipped: let its name not end"):
        read_table(path)


def test_a_column_that_is_not_there(write: Write) -> None:
    path = write("smiles,activity\nC,1\n")
    expected = r"data\.csv has no column 'act_ivity'. Did you mean 'activity'\? It has smiles, act"
    with pytest.raises(UsageError, match=expected):
        read_table(path, ["act_ivity"])


def test_nothing_there(tmp_path: Path) -> None:
    assert not is_table(tmp_path / "absent.csv")
    with pytest.raises(SmixupError, match=r"absent\.csv cannot be read: No such file"):
        read_table(tmp_path / "absent.csv")


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    assert not is_table(tmp_path / "a.csv")


def test_many_names_are_cut() -> None:
    assert listed([str(i) for i in range(14)]).endswith("10, 11, and 2 more")


def test_rows_are_read_as_they_are_asked_for(write: Write) -> None:
    """The fault of the last row is met there, not before."""
    rows = table_rows(write("a,b\n" + "1,2\n" * 50_000 + "3\n"), ["b"])
    assert next(rows) == ("2",)
    with pytest.raises(SmixupError, match="row 50001"):
        list(rows)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)
"""Python's writer does not quote a lone carriage return."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), max_size=5),
    delimiter=st.sampled_from(",;\t"),
    ending=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_what_pythons_writer_writes_is_read(
    tmp_path: Path, rows: list[tuple[str, str]], delimiter: str, ending: str, mark: str
) -> None:
    path = tmp_path / "written.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(mark)
        writer = csv.writer(file, delimiter=delimiter, lineterminator=ending)
        writer.writerows([("a", "b"), *rows])
    assert list(table_rows(path, ["a", "b"])) == rows


class TestParquet:
    @pytest.fixture
    def parquet(self, tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
        pa = pytest.importorskip("pyarrow", reason="pyarrow comes with the extra 'tables'")
        from pyarrow.parquet import write_table

        def written(columns: dict[str, Any]) -> Path:
            write_table(pa.table(columns), tmp_path / "data.parquet")
            return tmp_path / "data.parquet"

        return written

    def test_cells_are_those_of_a_csv(self, parquet: Callable[..., Path]) -> None:
        import pyarrow as pa

        path = parquet(
            {
                "smiles": ["C", "CC", None],
                "whole": [1, None, -3],
                "real": [1.0, 0.1, float("nan")],
                "single": pa.array([0.1, None, 1.0], pa.float32()),
                "holds": [True, False, None],
                "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
                "day": [date(2026, 1, 2), None, None],
                "bytes": [b"x", b"y", None],
                "list": [[1, 2], [], None],
            }
        )
        assert is_table(path)
        assert read_table(path) == {
            "smiles": ("C", "CC", ""),
            "whole": ("1", "", "-3"),
            "real": ("1.0", "0.1", ""),
            "single": ("0.1", "", "1.0"),
            "holds": ("True", "False", ""),
            "kind": ("a", "b", "a"),
            "day": ("2026-01-02", "", ""),
            "bytes": ("x", "y", ""),
            "list": ("[1, 2]", "[]", ""),
        }
        assert list(table_rows(path, ["whole", "smiles"]))[2] == ("-3", "")
        assert read_table(path, []) == {}

    def test_a_name_with_a_point_is_one_column(self, parquet: Callable[..., Path]) -> None:
        path = parquet({"a.b": [1], "a": [2]})
        assert read_table(path, ["a.b"]) == {"a.b": ("1",)}

    def test_many_rows(self, parquet: Callable[..., Path]) -> None:
        path = parquet({"a": list(range(25_000))})
        assert read_table(path)["a"] == tuple(map(str, range(25_000)))

    def test_faults(self, parquet: Callable[..., Path]) -> None:
        path = parquet({"smiles": ["C"], "bytes": [b"\xff"]})
        with pytest.raises(UsageError, match=r"data\.parquet has no column 'smile'\. Did you mean"):
            read_table(path, ["smile"])
        with pytest.raises(SmixupError, match=r"row 1 of data\.parquet holds bytes in column 'byt"):
            read_table(path)
        content = path.read_bytes()
        for broken in (b"", b"a,b\n", content[: len(content) // 2]):
            path.write_bytes(broken)
            with pytest.raises(SmixupError, match=r"data\.parquet cannot be read: "):
                read_table(path)

    def test_the_package_is_asked_for(
        self, parquet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = parquet({"a": [1]})
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        with pytest.raises(SmixupError, match=r"needs pyarrow.*pip install 'smixup\[tables\]'"):
            read_table(path)


def test_the_index_of_a_data_frame_is_known_by_its_name() -> None:
    assert index_columns(("graph", "y")) == ()
    assert index_columns(("column 1", "y", "Unnamed: 3")) == ("column 1", "Unnamed: 3")
    assert index_columns(("y", "__index_level_0__", "column 1")) == ("__index_level_0__",)


@pytest.mark.parametrize("name", ["a ", " A", "1.0", "1e0"])
def test_a_name_that_is_nearly_there_is_told(name: str) -> None:
    known = ["b", "1"] if name[0] == "1" else ["b", "a"]
    assert advice_on(name, known, "add it") == f"there it is '{known[1]}', so write both alike"
    assert advice_on(name, ["c"], "add it") == "add it"
