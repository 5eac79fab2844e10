"""A table of edges is read with its names, weights and attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_files import defaults_of

from smixup.datasets.readers.edge_list import read_edge_list
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.errors import SmixupError

OPTIONS = defaults_of(read_edge_list)


def read(folder: Path, text: str, **changes: Any) -> EdgeTable:
    (folder / "edges.csv").write_text(text)
    return EdgeTable.read(folder / "edges.csv", OPTIONS | changes)


def test_columns(tmp_path: Path) -> None:
    found = read(tmp_path, "graph,source,target,weight,bond\ng,b,a,0.5,x\ng,b,c,-1,y\n")
    assert len(found) == 2
    assert found.source.values is found.target.values
    assert [found.target.text(code) for code in found.target.codes] == ["a", "c"]
    assert found.weight is not None and found.weight.tolist() == [0.5, -1.0]
    assert found.columns["bond"].values == ("x", "y") and list(found.columns) == ["bond"]
    assert found.where(1) == "row 2 of edges.csv"


def test_without_weights(tmp_path: Path) -> None:
    assert read(tmp_path, "graph,source,target\ng,b,a\n").weight is None


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        ("0", "row 1 of edges.csv has a weight of zero in column 'weight': leave the edge out"),
        ("1e39", r"row 1 of edges.csv has a weight of 1e\+39, which is not finite in single"),
        ("1_0", "'1_0' in row 1 of edges.csv, column 'weight', is no finite number"),
    ],
)
def test_weights_that_are_refused(weight: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=told):
        read(tmp_path, f"graph,source,target,weight\ng,b,a,{weight}\n")
