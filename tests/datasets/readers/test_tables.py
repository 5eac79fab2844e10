"""Tables are columns of text, whatever program wrote them, read whole or block by block."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table

from smixup.datasets.readers.edge_list import read_edge_list
from smixup.datasets.tables import read_table
from smixup.errors import SmixupError

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return path

    return written


def features(folder: Path, cells: Sequence[str], **options: Any) -> Any:
    """Read a graph whose nodes have an attribute."""
    (folder / "edges.csv").write_text("graph,source,target\n")
    (folder / "graphs.csv").write_text("graph,y\n1,0\n")
    rows = [(1, place, cell) for place, cell in enumerate(cells)]
    with (folder / "nodes.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([("graph", "node", "k"), *rows])
    return read_edge_list(folder, **options)


WAYS = {
    "commas": ("smiles,y\nCCO,1\nC,\n", "a.csv"),
    "semicolons": ("smiles;y\nCCO;1\nC;\n", "a.csv"),
    "tabs": ("smiles\ty\nCCO\t1\nC\t\n", "a.TSV"),
    "gzipped": ("smiles,y\nCCO,1\nC,\n", "a.csv.gz"),
    "empty lines at the end": (" smiles , y\nCCO,1\nC,\n\n\r\n", "a.csv"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_table(write: Write, way: str) -> None:
    path = write(*WAYS[way])
    assert read_table(path) == {"smiles": ("CCO", "C"), "y": ("1", "")}


def test_columns_without_a_name_and_faults_of_a_later_row(write: Write) -> None:
    assert read_table(write(",y\n0,1\n")) == {"column 1": ("0",), "y": ("1",)}
    assert list(read_table(write('"a,b,c";d\n'))) == ["a,b,c", "d"]
    with pytest.raises(SmixupError, match="Row #50001"):
        read_table(write("a,b\n" + "1,2\n" * 50_000 + "3\n"))
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


def test_attributes_are_numbers_or_categories_and_never_guessed(tmp_path: Path) -> None:
    assert features(tmp_path, ["+1", " 2 ", ".5e1"]).graphs.x.tolist() == [[1], [2], [5]]
    words = features(tmp_path, ["b b", "a", "1"])
    assert words.reading.vocabulary["nodes"] == {"k": ["1", "a", "b b"]}
    assert words.graphs.x.tolist() == [[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    kinds = features(tmp_path, ["10", "2", "10"], categories="k").reading.vocabulary["nodes"]
    assert kinds == {"k": ["10", "2"]}
    for odd in ("1_0", "0x10", "\uff11\uff10", "\u00a010", "inf", "1e999", "1e39"):
        with pytest.raises(SmixupError, match=r"'k' is '.*' at row 3 of nodes.csv, where a finite"):
            features(tmp_path, ["1.5", "2", odd])
    with pytest.raises(SmixupError, match="'k' has 1001 different texts"):
        features(tmp_path, [f"name {k}" for k in range(1001)])


def test_parquet_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {
        "smiles": ["C", "CC", None],
        "whole": [1, None, -3],
        "real": [1.0, 0.1, float("nan")],
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
        "holds": ("True", "False", ""),
        "kind": ("a", "ä", "a"),
        "day": ("2026-01-02", "", ""),
        "list.of": ("[1, 2]", "[]", ""),
    }
    write_table(pa.table({"bytes": [b"x", b"y", b"\xff"]}), path)
    with pytest.raises(SmixupError, match=r"a\.parquet cannot be read: Invalid UTF8"):
        read_table(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(SmixupError, match=r"a\.parquet cannot be read: "):
        read_table(path)
