"""Columns of edges and nodes are told apart, have no gaps, and share their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from smixup.datasets.readers.table_columns import (
    as_column,
    joined,
    kinds_of,
    left_out,
    require_filled,
)
from smixup.datasets.readers.text_column import Texts
from smixup.errors import SmixupError


def text(codes: list[int], values: list[object]) -> Texts:
    return Texts(np.array(codes, np.int64), np.array(values))


def test_kinds() -> None:
    options = {"ignore": "note", "categories": "ring,size"}
    assert kinds_of(("size", "note", "length"), options) == {"size": False, "length": None}


def test_an_index_is_no_feature_unless_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(",graph,node,size\n0,a,1,2\n")
    options = {"graph": "graph", "node": "node", "weight": "weight", "ends": "source,target"}
    options |= {"ignore": "", "categories": ""}
    present = ("column 1", "graph", "node", "size")
    assert "column 1" not in kinds_of(present, options)
    (note,) = left_out(path, options)
    assert note.startswith("'column 1' of nodes.csv looks like the index of a data frame")
    for option in ("ignore", "categories"):
        assert not left_out(path, options | {option: "column 1"})
    assert kinds_of(present, options | {"categories": "column 1"})["column 1"] is False


def test_cells_without_content_are_told_with_what_to_do() -> None:
    columns = {"node": text([1, 0], [b"", b"a"])}
    with pytest.raises(SmixupError, match=r"row 2 of t.csv .* 'node': .* leave the row out"):
        require_filled(Path("t.csv"), columns, ("node",))
    with pytest.raises(SmixupError, match=r"leave the column out by ignore=node"):
        require_filled(Path("t.csv"), columns, ())
    require_filled(Path("t.csv"), {"x": np.zeros(2), "id": text([0], [7])}, ())


def test_texts_and_numbers_become_attributes() -> None:
    assert as_column(text([0, 1, 0], [b"a", b"b"])).values == ("a", "b")
    assert as_column(np.array([1, 2])).numbers.tolist() == [1.0, 2.0]


def test_names_in_two_columns_are_numbered_alike() -> None:
    for left, right in (
        (text([0, 1], [b"a", b"c"]), text([0, 1], [b"b", b"c"])),
        (text([0, 1], [1, 3]), text([0, 1], [b"b", b"3"])),
    ):
        first, second = joined(left, right)
        assert first.texts() == second.texts()
        assert len(first.texts()) == 3
        assert first.codes[1] == second.codes[1]
        assert first.text(int(first.codes[0])) == left.text(0)
        assert second.text(int(second.codes[0])) == right.text(0)
