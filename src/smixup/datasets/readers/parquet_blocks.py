"""A parquet file in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.parquet import opened_parquet
from smixup.datasets.readers.table_block import Block, Kinds
from smixup.errors import SmixupError

ROWS = 1 << 19
"""Rows at once."""


def parquet_blocks(path: Path, kinds: Kinds, known: Sequence[str]) -> Iterator[Block]:
    """Yield the cells of some columns of a parquet file; see `csv_blocks`."""
    row = 1
    with opened_parquet(path) as file:
        own = [file.schema_arrow.names[known.index(name)] for name in kinds]
        for batch in file.iter_batches(ROWS, columns=own):
            yield (
                row,
                {
                    name: _array(path, name, row, batch.column(each), kinds[name])
                    for name, each in zip(kinds, own, strict=True)
                },
            )
            row += len(batch)


def _array(path: Path, name: str, row: int, column: Any, is_number: bool | None) -> NDArray[Any]:
    if column.null_count:
        empty = row + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise SmixupError(f"row {empty} of {path.name} is empty in column '{name}': fill it in.")
    found: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    if found.dtype.kind == "i" or (found.dtype.kind == "u" and found.dtype.itemsize < 8):
        return found.astype(np.int64)
    if found.dtype.kind in "fb" and is_number is not False:
        return found.astype(np.float64)
    if found.dtype.kind == "f" and (found % 1 == 0).all() and (np.abs(found) < 1e15).all():
        return found.astype(np.int64)  # whole numbers that some program made floats
    return np.array([str(each).encode() for each in found.tolist()], dtype=bytes)
