"""Parquet files are read in blocks as text is."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_cells import texts

from smixup.datasets.readers import parquet_blocks
from smixup.datasets.readers.streamed_table import read_columns
from smixup.errors import SmixupError


def test_parquet_is_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet_blocks, "ROWS", 2)
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
