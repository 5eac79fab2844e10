"""Blocks of a table, whatever file it stands in: numbered rows, and cells by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from smixup.datasets.readers import parquet_blocks as parquet
from smixup.datasets.readers.csv_blocks import csv_blocks
from smixup.datasets.readers.parquet_blocks import parquet_blocks
from smixup.datasets.readers.table_block import Block, Kinds

NAMES = ["id", "name", "size"]
ROWS = 4 * [
    ("7", "a", "0.5"),
    ("10", "ä", "-2"),
    ("-1", "b", "3"),
    ("4", "a", "1e3"),
    ("5", "c", "0"),
]
KINDS: Kinds = {"size": True, "name": False}


def write_csv(folder: Path) -> Path:
    lines = [",".join(row) for row in (NAMES, *ROWS)]
    (folder / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "a.csv"


def write_parquet(folder: Path) -> Path:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ids, names, sizes = zip(*ROWS, strict=True)
    columns = {"id": list(map(int, ids)), "name": list(names), "size": list(map(float, sizes))}
    files.write_table(arrow.table(columns), folder / "a.parquet")
    return folder / "a.parquet"


def blocks_of(kind: str, folder: Path) -> list[Block]:
    write: Callable[[Path], Path] = {"csv": write_csv, "parquet": write_parquet}[kind]
    read: Callable[..., Iterable[Block]] = {"csv": csv_blocks, "parquet": parquet_blocks}[kind]
    return list(read(write(folder), KINDS, NAMES))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_are_numbered_from_one_without_a_gap(
    kind: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 2 if block < 100 else 100)
    blocks = blocks_of(kind, tmp_path)
    assert len(blocks) > 1 or block > 100
    expected = 1
    for first, cells in blocks:
        assert first == expected
        assert list(cells) == list(KINDS), "columns as they were asked for, and no other"
        (length,) = {len(column) for column in cells.values()}
        assert length > 0
        expected += length
    assert expected == len(ROWS) + 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_cells_are_those_of_the_table(
    kind: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 2 if block < 100 else 100)
    blocks = [cells for _, cells in blocks_of(kind, tmp_path)]
    names = [name.decode() for cells in blocks for name in cells["name"].tolist()]
    assert names == [row[1] for row in ROWS]
    sizes = np.concatenate([cells["size"].astype(float) for cells in blocks])
    assert sizes.tolist() == [float(row[2]) for row in ROWS]
