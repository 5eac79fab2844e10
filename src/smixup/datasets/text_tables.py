"""Publishers' tables: plain or gzipped text, numbers parted by commas."""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read a table of integers, `[rows, columns]`; of any number of columns if none is given."""
    table: NDArray[np.int64] = _read(path, np.int64)
    if columns is None:
        return table
    if table.size and table.shape[1] != columns:
        raise SmixupError(f"{path.name} has {table.shape[1]} columns, expected {columns}.")
    return table.reshape(-1, columns)


def read_numbers(path: Path) -> NDArray[np.float64]:
    """Read a table of finite numbers, `[rows, columns]`."""
    table: NDArray[np.float64] = _read(path, np.float64)
    if not np.isfinite(table).all():
        raise SmixupError(f"{path.name} holds numbers that are not finite.")
    return table


def first_line(path: Path) -> str:
    """Return the first line of a text, plain or gzipped."""
    open_ = gzip.open if path.suffix == ".gz" else open
    try:
        with open_(path, "rt", encoding="utf-8") as file:
            return file.readline()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as reason:
        raise _unreadable(path, reason) from reason


def _read(path: Path, dtype: type) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message=".*input contained no data", category=UserWarning
            )
            return np.loadtxt(
                path, dtype=dtype, delimiter=",", comments=None, ndmin=2, encoding="utf-8"
            )
    except (OSError, EOFError, ValueError, zlib.error) as reason:
        raise _unreadable(path, reason) from reason


def _unreadable(path: Path, reason: Exception) -> SmixupError:
    told = str(reason).rstrip(".").splitlines()[0]
    return SmixupError(f"{path.name} cannot be read: {_in_lines(told)}.")


def _in_lines(told: str) -> str:
    """Return NumPy's message with the place as an editor shows it; NumPy counts rows from 0."""
    told = re.sub(r"at row (\d+); use `usecols`.*", r"in line \1", told)
    return re.sub(
        r"at row (\d+), column (\d+)",
        lambda found: f"in line {int(found[1]) + 1}, column {found[2]}",
        told,
    )
