"""Publishers' tables: plain or gzipped text, numbers parted by commas."""

from __future__ import annotations

import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.bounds import require_numbers
from smixup.datasets.text_streams import lines_of, opened_text
from smixup.errors import SmixupError
from smixup.shown import shown


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read a table of integers, `[rows, columns]`; of any number of columns if none is given."""
    table: NDArray[np.int64] = _read(path, np.int64)
    if columns is None:
        return table
    if table.size and table.shape[1] != columns:
        raise SmixupError(f"{shown(path.name)} has {table.shape[1]} columns, expected {columns}.")
    return table.reshape(-1, columns)


def read_numbers(path: Path) -> NDArray[np.float64]:
    """Read a table of numbers that are finite in single precision, `[rows, columns]`."""
    table: NDArray[np.float64] = _read(path, np.float64)
    require_finite(table, path)
    return table


def require_finite(table: NDArray[np.float64], path: Path, gaps: bool = False) -> None:
    """Refuse numbers that are not finite once they are in single precision, which all are brought
    to; gaps, NaN, may be allowed.
    """
    with np.errstate(over="ignore"):
        single = table.astype(np.float32)
    odd = ~np.isfinite(single) & ~(np.isnan(single) & gaps)
    if odd.any():
        row, column = (int(each) for each in np.argwhere(odd)[0])
        raise SmixupError(
            f"{shown(path.name)} holds numbers that are not finite in single precision, such as "
            f"{table[row, column]} in row {row + 1}, column {column + 1}."
        )


def first_line(path: Path) -> str:
    """Return the first line of a text, plain or gzipped."""
    with opened_text(path) as file:
        return next(lines_of(file, path), "")


def _read(path: Path, dtype: type) -> Any:
    require_numbers(path)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message=".*input contained no data", category=UserWarning
            )
            return np.loadtxt(
                path, dtype=dtype, delimiter=",", comments=None, ndmin=2, encoding="utf-8"
            )
    except (OSError, EOFError, ValueError, zlib.error) as reason:
        raise unreadable_numbers(path, reason) from reason


def unreadable_numbers(path: Path, reason: Exception) -> SmixupError:
    """Return the error for a table that NumPy cannot read."""
    told = (str(reason) or type(reason).__name__).rstrip(".").splitlines()[0]
    return SmixupError(f"{shown(path.name)} cannot be read: {shown(_in_lines(told), 200)}.")


def _in_lines(told: str) -> str:
    """Return NumPy's message with the place as an editor shows it; NumPy counts rows from 0."""
    told = re.sub(r"at row (\d+); use `usecols`.*", r"in line \1", told)
    return re.sub(
        r"at row (\d+), column (\d+)",
        lambda found: f"in line {int(found[1]) + 1}, column {found[2]}",
        told,
    )
