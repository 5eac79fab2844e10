"""Large tables, CSV or parquet, column by column in NumPy: no cell becomes a Python object.

Text is kept as numbers that stand for it. Cells are parted by what `tables.py` finds in the first
line, and rows are counted from 1 behind it, as there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.csv_blocks import csv_blocks
from smixup.datasets.readers.endings import is_parquet
from smixup.datasets.readers.growing_column import GrowingColumn
from smixup.datasets.readers.parquet_blocks import parquet_blocks
from smixup.datasets.readers.table_block import Kinds
from smixup.datasets.readers.tables import column_names, require_column
from smixup.datasets.readers.text_column import Texts


def read_columns(path: Path, kinds: Kinds) -> dict[str, Texts | NDArray[np.float64]]:
    """Return columns of a table, numbers as numbers.

    Args:
        path: of a CSV or parquet file.
        kinds: by name of the column, whether it must hold numbers (True), is text (False), or
            either (None), which its first block of rows tells.
    """
    known = column_names(path)
    for name in kinds:
        require_column(path, name, known)
    found = {name: GrowingColumn(path, name, number) for name, number in kinds.items()}
    blocks = parquet_blocks if is_parquet(path) else csv_blocks
    for first, columns in blocks(path, kinds, known):
        for name, cells in columns.items():
            found[name].add(first, cells)
    return {name: each.finished() for name, each in found.items()}
