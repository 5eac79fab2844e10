"""Tables, CSV or parquet, as columns of text or as numbers. No torch is needed here.

Example::

    table = read_table(Path("molecules.csv"))   # {"smiles": ("CCO", ...), "active": ("1", ...)}

A CSV is UTF-8, with or without a mark at its beginning, plain or gzipped; cells are parted by
commas, semicolons or tabs, which the first line tells. That line names the columns; a column
without a name is called by its place. Rows are counted from 1 behind it. Nothing is cast: a cell is
the text that stands in it.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError, shown, unknown_name
from smixup.memory import budget, require_room

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = (".parquet", ".pq")
MATRIX_TEXT = (".csv", ".csv.gz")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *PARQUET)
INDEX = re.compile(r"column \d+|Unnamed: \d+|__index_level_\d+__")
LETTER, CELL = 6, 80  # bytes of memory for what a text and a parquet file hold

Table = Mapping[str, tuple[str, ...]]


def is_parquet(path: Path) -> bool:
    """Tell by its name whether a table is parquet; otherwise it is text."""
    return path.name.lower().endswith(PARQUET)


def stem_of(path: Path) -> str:
    """Return the name of a file without what tells its kind: `edges` of `edges.csv.gz`."""
    return Path(path.stem).stem if is_gzipped(path) else path.stem


def read_table(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the columns of a table by name, each cell as text; an empty cell is an empty text."""
    return {name: texts_of(path, array) for name, array in read_arrays(path).items()}


def read_arrays(path: Path) -> dict[str, pa.ChunkedArray]:
    """Return columns of a table as Arrow has them: of a CSV text, of parquet as it was written."""
    if is_parquet(path):
        from pyarrow import parquet

        with readable(path), parquet.ParquetFile(path) as file:
            names = _checked_names(path, file.schema_arrow.names)
            need = CELL * file.metadata.num_rows * len(names)
            require_room(need, f"{shown(path.name)} as a table", "take fewer rows")
            return dict(zip(names, file.read().columns, strict=True))
    import pyarrow as pa

    text = read_text(path)
    first, _, rows = text.partition("\n")
    names, delimiter = _header(path, first)
    types = [pa.large_string()] * len(names)
    if not rows:
        return {name: pa.chunked_array([], types[0]) for name in names}
    table = parsed(path, rows, delimiter, types, empty_lines=True)
    return dict(zip(names, table.columns, strict=True))


def require_column(where: str, name: str, known: Iterable[str]) -> None:
    """Refuse the name of a column that a table does not have, and tell the nearest."""
    if name not in known:
        raise unknown_name(f"column of {shown(where)}", name, known)


def is_index(name: str) -> bool:
    """Tell whether a column is likely the index of a data frame: without a name of its own, or with
    one that pandas gives.

    >>> is_index("column 1"), is_index("Unnamed: 0"), is_index("graph")
    (True, True, False)
    """
    return INDEX.fullmatch(name) is not None


def _header(path: Path, line: str) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns, and what parts cells."""
    if not line.strip():
        raise SmixupError(f"{path.name} is empty: its first line must name the columns.")
    plain = "".join(line.split('"')[::2])  # what is quoted does not count
    is_tabbed = path.name.lower().endswith((".tsv", ".tsv.gz"))
    delimiter = "\t" if is_tabbed else max(",;\t", key=plain.count)
    with readable(path):
        names = next(csv.reader([line], delimiter=delimiter))
    return _checked_names(path, names), delimiter


def _checked_names(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() or f"column {place}" for place, name in enumerate(cells, 1))
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise SmixupError(f"{path.name} has {count} columns '{shown(name)}': rename them.")
    return names


def texts_of(path: Path, array: pa.ChunkedArray) -> tuple[str, ...]:
    """Return the cells of a column of a table as a CSV would have them."""
    import pyarrow as pa

    with readable(path):
        values = array.cast(pa.string()) if pa.types.is_binary(array.type) else array
        cells = values.to_pylist()
    if pa.types.is_large_string(array.type) and not array.null_count:
        return tuple(cells)
    return tuple("" if cell is None or cell != cell else str(cell) for cell in cells)  # or NaN


# --- texts, and what Arrow reads of them


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


def read_integers(
    path: Path, columns: int | None = None, rows: int | None = None
) -> NDArray[np.int64]:
    """Read a table of integers, `[rows, columns]`; of any number of these if none is given."""
    table: NDArray[np.int64] = _numbers(path, np.dtype(np.int64), rows)
    if table.size and columns not in (None, table.shape[1]):
        raise SmixupError(f"{shown(path.name)} has {table.shape[1]} columns, expected {columns}.")
    return table if columns is None else table.reshape(-1, columns)


def read_numbers(path: Path, rows: int | None = None, gaps: bool = False) -> NDArray[np.float64]:
    """Read a table of numbers that are finite in single precision, `[rows, columns]`; with gaps, an
    empty cell is NaN.
    """
    table: NDArray[np.float64] = _numbers(path, np.dtype(np.float64), rows, ("",) * gaps)
    odd = ~(np.abs(table) <= np.finfo(np.float32).max) & ~(np.isnan(table) & gaps)
    require_none(odd, path, "holds a number that is not finite in single precision")
    return table


def require_none(odd: NDArray[np.bool_], path: Path, what: str) -> None:
    """Refuse a file of which some cells are odd `[rows, k]`, and name the first line."""
    if odd.any():
        line = int(odd.any(1).argmax()) + 1
        raise SmixupError(f"{shown(path.name)} {what} in line {line}.")


def _numbers(
    path: Path, dtype: np.dtype[Any], rows: int | None, gaps: Sequence[str] = ()
) -> NDArray[Any]:
    import pyarrow as pa

    text = read_text(path)
    text = text if gaps else text.lstrip("\r\n")
    table: NDArray[Any] = np.zeros((0, 0), dtype)
    if text:
        width = re.split("[\r\n]", text, maxsplit=1)[0].count(",") + 1
        types = [pa.from_numpy_dtype(dtype)] * width
        columns = parsed(path, text, ",", types, gaps, bool(gaps)).columns
        table = np.column_stack([column.to_numpy() for column in columns])
    if rows not in (None, len(table)):
        raise SmixupError(
            f"{shown(path.name)} has {len(table)} lines where the other files call for {rows}."
        )
    return table
