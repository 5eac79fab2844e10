"""Tables are columns of text, whatever program wrote them, read whole or block by block."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table

from smixup.datasets.readers.attributes import (
    Attributes,
    as_numbers,
    as_seen,
    as_texts,
    encode,
    filled,
    learn,
)
from smixup.datasets.readers.edge_list import coded
from smixup.datasets.readers.tables import advice_on, column_names, read_arrays, read_table
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


def where(row: int) -> str:
    return f"place {row}"


def column(path: Path, name: str) -> Any:
    return filled(name, read_arrays(path, [name])[name], where)


def names(path: Path, name: str) -> tuple[list[str], list[str]]:
    """The names in a column row by row, and in order."""
    (codes,), texts = coded(as_texts(column(path, name)))
    return [texts[code] for code in codes], texts


def seen(path: Path, name: str) -> list[Any]:
    cells: list[Any] = as_seen(name, column(path, name), where).to_pylist()
    return cells


WAYS = {
    "commas": ("smiles,y\nCCO,1\nC,\n", "a.csv"),
    "semicolons": ("smiles;y\nCCO;1\nC;\n", "a.csv"),
    "tabs": ("smiles\ty\nCCO\t1\nC\t\n", "a.TSV"),
    "gzipped": ("smiles,y\nCCO,1\nC,\n", "a.csv.gz"),
    "CRLF": ("smiles,y\r\nCCO,1\r\nC,\r\n", "a.csv"),
    "a mark and quotes": ('\ufeff"smiles","y"\r\n"CCO","1"\r\n"C",""\r\n', "a.csv"),
    "no final newline": ("smiles,y\nCCO,1\nC,", "a.csv"),
    "empty lines at the end": (" smiles , y\nCCO,1\nC,\n\n\r\n", "a.csv"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_table(write: Write, way: str) -> None:
    path = write(*WAYS[way])
    assert read_table(path) == {"smiles": ("CCO", "C"), "y": ("1", "")}
    assert column_names(path) == ("smiles", "y")
    assert list(read_table(path, ["y", "smiles"])) == ["y", "smiles"]
    assert names(path, "smiles")[0] == ["CCO", "C"]


def test_columns_without_a_name_and_faults_of_a_later_row(write: Write) -> None:
    assert read_table(write(",y\n0,1\n")) == {"column 1": ("0",), "y": ("1",)}
    assert column_names(write('"a,b,c";d\n')) == ("a,b,c", "d")
    with pytest.raises(SmixupError, match="row 50001"):
        read_table(write("a,b\n" + "1,2\n" * 50_000 + "3\n"), ["b"])
    with pytest.raises(UsageError, match=r"no column 'act_ivity'. Did you mean 'activity'"):
        read_table(write("smiles,activity\nC,1\n"), ["act_ivity"])
    with pytest.raises(SmixupError, match=r"absent\.csv cannot be read: No such file"):
        read_table(Path("absent.csv"))


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
    assert list(zip(*read_table(path).values(), strict=True)) == rows


AWKWARD = ["a", "b b", "ä€", "007", "7", "-1", "a long name, with a comma", 'a "q"', "x\ny"]


@pytest.mark.parametrize("cells", [AWKWARD, ["10", "9", "0"] * 30, ["n1", "n10"] * 40])
def test_names_are_those_of_the_file_and_numbers_are_numbers(
    cells: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("k", "v"), *((str(place), cell) for place, cell in enumerate(cells))])
    assert names(path, "v")[0] == list(read_table(path)["v"]) == cells
    assert seen(path, "k") == list(range(len(cells)))


def test_names_are_in_order_and_kinds_are_those_of_whole_columns(write: Write) -> None:
    path = write("k;v\n" + "".join(f"{k};b{k}\n" for k in (10, 9, 100, 9)))
    assert names(path, "k")[1] == ["9", "10", "100"]
    assert names(path, "v")[1] == ["b10", "b100", "b9"]
    assert seen(write("k\na\nb\n1"), "k") == ["a", "b", "1"]
    assert seen(write("k\n+1\n 2 \n.5e1"), "k") == [1, 2, 5]
    for odd in ("1_0", "0x10", "\uff11\uff10", "\u00a010", "inf", "1e999", "1e39"):
        with pytest.raises(SmixupError, match=r"'k' is '.*' at place 2, where a finite number"):
            seen(write(f"k\n1.5\n2\n{odd}\n"), "k")
    with pytest.raises(SmixupError, match=r"'k' is 'x' at place 1, where a finite number"):
        as_numbers("k", column(write("k\n1\nx\ny\n"), "k"), where)


def test_parquet_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {
        "smiles": ["C", "CC", None],
        "whole": [1, None, -3],
        "real": [1.0, 0.1, float("nan")],
        "single": pa.array([0.1, None, 1.0], pa.float32()),
        "holds": [True, False, None],
        "kind": pa.array(["a", "ä", "a"]).dictionary_encode(),
        "day": [date(2026, 1, 2), None, None],
        "list.of": [[1, 2], [], None],
    }
    write_table(pa.table(columns), path)
    assert read_table(path) == {
        "smiles": ("C", "CC", ""),
        "whole": ("1", "", "-3"),
        "real": ("1.0", "0.1", ""),
        "single": ("0.1", "", "1.0"),
        "holds": ("True", "False", ""),
        "kind": ("a", "ä", "a"),
        "day": ("2026-01-02", "", ""),
        "list.of": ("[1, 2]", "[]", ""),
    }
    write_table(pa.table({"id": [3, 10, -1], "f": [1.0, 2.0, 7.5], "b": [True, False, True]}), path)
    assert names(path, "f")[0] == ["1", "2", "7.5"], "1.0 is the name that 1 is"
    assert names(path, "id")[0] == ["3", "10", "-1"]
    assert (seen(path, "f"), seen(path, "b")) == ([1.0, 2.0, 7.5], [1.0, 0.0, 1.0])
    write_table(pa.table({"id": [3, None, 1], "bytes": [b"x", b"y", b"\xff"]}), path)
    with pytest.raises(SmixupError, match="'id' is missing at place 1"):
        column(path, "id")
    with pytest.raises(SmixupError, match=r"column 'bytes' of a\.parquet holds bytes"):
        read_table(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(SmixupError, match=r"a\.parquet cannot be read: "):
        column(path, "id")


def test_numbers_are_columns_texts_one_hot_and_what_is_new_is_other() -> None:
    columns = {"size": pa.array([1, 2.5, 1]), "colour": pa.array(["red", "blue", "red"])}
    vocabulary = learn(columns)
    assert vocabulary == {"colour": ["blue", "red"], "size": None}
    x, notes = encode(Attributes(columns, 3, where), vocabulary)
    assert x.tolist() == [[0, 1, 0, 1], [1, 0, 0, 2.5], [0, 1, 0, 1]] and not notes
    columns["colour"] = pa.array(["blue", "z", "z"])
    x, (note,) = encode(Attributes(columns, 3, where), vocabulary)
    assert x[:, :3].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert note.startswith("2 of the nodes have a 'colour' that was not there")
    sizes = {"c": pa.array([10, 2.0, 0.5])}
    assert learn(sizes, ["c"]) == {"c": ["0.5", "10", "2"]}
    x, _ = encode(Attributes(sizes, 3, where), {"c": ["0.5", "10", "2"]})
    assert x.argmax(1).tolist() == [1, 2, 0]
    assert encode(Attributes({}, 3, where), {})[0].shape == (3, 0)


def test_what_cannot_be_a_feature_is_told() -> None:
    many = pa.array([f"name {k}" for k in range(1001)])
    with pytest.raises(SmixupError, match="'c' has 1001 different texts"):
        learn({"c": many})
    with pytest.raises(SmixupError, match=r"'c' is text \('name 0'\) at place 0"):
        encode(Attributes({"c": many}, 1001, where), {"c": None})
    with pytest.raises(SmixupError, match="'d' is missing, which the files read before have"):
        encode(Attributes({}, 1, where), {"d": None})


def test_columns_share_their_names() -> None:
    for left, right in ((["a", "c"], ["b", "c"]), (["1", "3"], ["b", "3"])):
        (first, second), texts = coded(pa.array(left), pa.array(right))
        assert texts == sorted({*left, *right}) and first[1] == second[1]


@pytest.mark.parametrize("name", ["a ", " A", "1.0", "1e0"])
def test_a_name_that_is_nearly_there_is_told(name: str) -> None:
    known = ["b", "1"] if name[0] == "1" else ["b", "a"]
    assert advice_on(name, known, "add it") == f"there it is '{known[1]}', so write both alike"
    assert advice_on(name, ["c"], "add it") == "add it"
