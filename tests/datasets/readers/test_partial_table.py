"""Rows without a molecule are remembered with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.datasets import load_dataset
from smixup.datasets.readers.partial_table import PartialTable
from smixup.errors import SmixupError

ROWS = ["C,1", "odd1,0", "CC,0", "CCO,1", "odd2,1", "odd3,0", "odd4,1"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def test_rows_that_were_left_out(file: Path) -> None:
    found = load_dataset(file, invalid="skip")
    assert isinstance(found.table, PartialTable)
    assert found.table["smiles"] == ("C", "CC", "CCO")
    assert found.table.left_out[1] == {"smiles": "odd1", "y": "0"}
    assert list(found.table.left_out) == [1, 4, 5, 6]
    assert len(found.table["scaffold"]) == 3


def test_a_list_names_all_of_them(file: Path) -> None:
    with pytest.raises(SmixupError, match=r"'odd3', and 1 more; .*; invalid=list names all\.$"):
        load_dataset(file)
    with pytest.raises(SmixupError, match=r"'odd3', row 7 'odd4'; correct them.*invalid=skip\)\.$"):
        load_dataset(file, invalid="list")
    with pytest.raises(SmixupError, match="invalid must be refuse, list or skip, not drop"):
        load_dataset(file, invalid="drop")
