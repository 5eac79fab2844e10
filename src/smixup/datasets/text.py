"""Files that come in, within bounds, and the rows of a CSV; without torch."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError, shown
from smixup.memory import budget, require_room

if TYPE_CHECKING:
    import pyarrow as pa

LETTER = 6  # bytes of memory while a table is read


def is_gzipped(path: Path) -> bool:
    """Tell by its name whether a file is gzipped."""
    return path.name.lower().endswith(".gz")


@contextmanager
def readable(path: Path, how: str = "") -> Iterator[None]:
    """Say in a sentence what is wrong with a file, and how to do better: whatever libraries raise
    of a damaged one.
    """
    try:
        yield
    except SmixupError:
        raise
    except Exception as reason:
        words = getattr(reason, "strerror", None) or str(reason).strip()
        words = words if re.search("[a-z]{3}", words) else type(reason).__name__
        words = re.sub(r"CSV column #(\d+)", lambda own: f"column {int(own[1]) + 1}", words)
        words = shown(words.partition("\n")[0].rstrip(".:"), 200)
        raise SmixupError(f"{shown(path.name)} cannot be read: {words}.{how}") from reason


def read_text(path: Path) -> str:
    """Return a text in UTF-8, without a mark before it or empty lines behind it; where there is no
    room for it, no more of it is unpacked than there is.
    """
    open_it: Any = gzip.open if is_gzipped(path) else open
    with readable(path), open_it(path, "rb") as stream:
        content: bytes = stream.read(budget() // LETTER + 1)
    require_room(LETTER * len(content), f"{shown(path.name)} as a table", "take fewer rows")
    try:
        text = content.decode("utf-8-sig")
        odd = text.find("\0")
    except UnicodeDecodeError as reason:
        odd = reason.start
    if odd >= 0:
        line = content.count(b"\n", 0, odd) + 1
        raise SmixupError(
            f"{path.name} is no text in UTF-8 in line {line}: save it as CSV in UTF-8; the names "
            "of parquet and gzipped files have to end so."
        )
    return text.rstrip("\r\n")


def parsed(
    path: Path,
    text: str,
    delimiter: str,
    types: Sequence[pa.DataType],
    gaps: Sequence[str] = (),
    empty_lines: bool = False,
) -> pa.Table:
    """Return the rows of a CSV, read by Arrow as columns of the given types: nothing is cast.
    `gaps` stand for numbers that are not known; empty lines are rows, or do not count.
    """
    import pyarrow as pa
    from pyarrow import csv

    quoted = '"' in text
    if quoted:  # a quote that is not closed would take in this row
        text += "\n" + delimiter.join("0" * len(types))
    names = list(map(str, range(len(types))))
    with readable(path):
        table = csv.read_csv(
            pa.BufferReader(text.encode()),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,
                ignore_empty_lines=not empty_lines,
            ),
            csv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)), null_values=list(gaps)
            ),
        )
    if quoted and table[-1][-1].as_py() not in ("0", 0):
        raise SmixupError(f"a quote in {shown(path.name)} is not closed.")
    return table.slice(0, len(table) - quoted)


# --- publishers' tables of numbers that are parted by commas


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read a table of integers, `[rows, columns]`; of any number of columns if none is given."""
    table: NDArray[np.int64] = _numbers(path, np.dtype(np.int64))
    if table.size and columns not in (None, table.shape[1]):
        raise SmixupError(f"{shown(path.name)} has {table.shape[1]} columns, expected {columns}.")
    return table if columns is None else table.reshape(-1, columns)


def read_numbers(path: Path, gaps: bool = False) -> NDArray[np.float64]:
    """Read a table of numbers that are finite in single precision, `[rows, columns]`; with gaps, an
    empty cell is NaN.
    """
    table: NDArray[np.float64] = _numbers(path, np.dtype(np.float64), ("",) if gaps else ())
    odd = np.argwhere(~(np.abs(table) <= np.finfo(np.float32).max) & ~(np.isnan(table) & gaps))
    if len(odd):
        row, column = odd[0]
        raise SmixupError(
            f"{shown(path.name)} holds numbers that are not finite in single precision, such as "
            f"{table[row, column]} in row {row + 1}, column {column + 1}."
        )
    return table


def _numbers(path: Path, dtype: np.dtype[Any], gaps: Sequence[str] = ()) -> Any:
    import pyarrow as pa

    text = read_text(path)
    text = text if gaps else text.lstrip("\r\n")
    if not text:
        return np.zeros((0, 0), dtype)
    width = re.split("[\r\n]", text, maxsplit=1)[0].count(",") + 1
    table = parsed(path, text, ",", [pa.from_numpy_dtype(dtype)] * width, gaps, bool(gaps))
    return np.column_stack([column.to_numpy() for column in table.columns])
