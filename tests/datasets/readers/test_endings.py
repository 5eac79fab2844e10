"""Tables are known by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.datasets.readers import reader_of
from smixup.datasets.readers.endings import is_parquet, is_table, stem_of
from smixup.datasets.text_streams import is_gzipped


@pytest.mark.parametrize("name", ["a.csv", "a.TSV", "a.csv.gz", "a.tsv.gz", "a.parquet", "a.pq"])
def test_tables(tmp_path: Path, name: str) -> None:
    assert not is_table(tmp_path / name)
    (tmp_path / name).touch()
    assert is_table(tmp_path / name)
    assert is_parquet(tmp_path / name) == name.endswith(("parquet", "pq"))
    assert reader_of(tmp_path / name) == "smiles"


@pytest.mark.parametrize("name", ["a.txt", "a.gz", "csv", "a.csv.zip"])
def test_others(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert not is_table(tmp_path / name)


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    assert not is_table(tmp_path / "a.csv")
    assert reader_of(tmp_path / "a.csv") is None


def test_stems() -> None:
    names = ["a.csv", "a.b.csv.gz", "a.TSV.GZ", "a"]
    assert [stem_of(Path(name)) for name in names] == ["a", "a.b", "a", "a"]
    assert [is_gzipped(Path(name)) for name in names] == [False, True, True, False]
