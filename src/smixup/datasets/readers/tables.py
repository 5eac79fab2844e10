"""Tables of one's own, CSV or parquet, as columns of text. No torch is needed here.

Example::

    table = read_table(Path("molecules.csv"))   # {"smiles": ("CCO", ...), "active": ("1", ...)}

A CSV is UTF-8, with or without a mark at its beginning, plain or gzipped; cells are parted by
commas, semicolons or tabs, which the first line tells. That line names the columns; a column
without a name is called by its place. Rows are counted from 1 behind it. Nothing is cast: a cell is
the text that stands in it.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from smixup.datasets.text import first_line, is_gzipped, read_text, unreadable
from smixup.errors import SmixupError, UsageError, shown
from smixup.memory import require_room
from smixup.ranges import number_of

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = (".parquet", ".pq")
MATRIX_TEXT = (".csv", ".csv.gz")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *PARQUET)
INDEX = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # how pandas calls an index
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
LETTER, CELL = 6, 80  # bytes of memory, of a CSV and of parquet
SHOWN = 12

Table = Mapping[str, tuple[str, ...]]


def is_table(path: Path) -> bool:
    """Tell by its name whether a file is a table."""
    return path.name.lower().endswith(TABLES) and path.is_file()


def is_parquet(path: Path) -> bool:
    """Tell by its name whether a table is parquet; otherwise it is text."""
    return path.name.lower().endswith(PARQUET)


def stem_of(path: Path) -> str:
    """Return the name of a file without what tells its kind: `edges` of `edges.csv.gz`."""
    return Path(path.stem).stem if is_gzipped(path) else path.stem


def column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a table's columns; of a CSV, its first line alone is read."""
    if is_parquet(path):
        with _opened_parquet(path) as file:
            return _checked_names(path, file.schema_arrow.names)
    return _header(path, first_line(path))[0]


def read_table(path: Path, columns: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return columns of a table by name, each cell as text; an empty cell is an empty text.

    Args:
        path: of a CSV or parquet file.
        columns: which ones, in this order; all if None.
    """
    return {
        name: tuple(texts_of(path, name, array))
        for name, array in read_arrays(path, columns).items()
    }


def read_arrays(path: Path, columns: Sequence[str] | None = None) -> dict[str, pa.ChunkedArray]:
    """Return columns of a table as Arrow has them: of a CSV text, of parquet as it was written."""
    if is_parquet(path):
        with _opened_parquet(path) as file:
            own = file.schema_arrow.names
            places = _places(path, _checked_names(path, own), columns)
            need = CELL * file.metadata.num_rows * len(places)
            require_room(need, f"{shown(path.name)} as a table", "take fewer rows")
            table = file.read([own[place] for place in places.values()])
            return {name: table[own[place]] for name, place in places.items()}
    text = read_text(path, LETTER)
    names, delimiter = _header(path, text.partition("\n")[0])
    places = _places(path, names, columns)
    table = _parsed(path, text.rstrip("\r\n"), delimiter, len(names))
    return {name: table[place] for name, place in places.items()}


def _places(path: Path, known: Sequence[str], columns: Sequence[str] | None) -> dict[str, int]:
    for name in columns or ():
        require_column(path.name, name, known)
    return {name: known.index(name) for name in (known if columns is None else columns)}


def require_column(where: str, name: str, known: Sequence[str]) -> None:
    """Refuse the name of a column that a table does not have, and tell the nearest."""
    if name in known:
        return
    lower = {column.lower(): column for column in known}
    close = get_close_matches(name.lower(), lower, n=1)
    hint = f" Did you mean '{shown(lower[close[0]])}'?" if close else ""
    raise UsageError(f"{shown(where)} has no column '{shown(name)}'.{hint} It has {listed(known)}.")


def index_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are likely the index of a data frame: without a name of their own, or
    with one that pandas gives.

    >>> index_columns(("column 1", "graph", "Unnamed: 0", "column 9"))
    ('column 1', 'Unnamed: 0')
    """
    return tuple(
        name
        for place, name in enumerate(names, 1)
        if name == f"column {place}" or INDEX.match(name)
    )


def advice_on(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return what to do about a name that another table does not have: write it like one that
    differs in blanks, in case, or as 1.0 from 1; else what is said.

    >>> advice_on("1.0", ["2", "1"], "add it")
    "there it is '1', so write both alike"
    """
    near = next((other for other in known if _core(other) == _core(name)), None)
    return otherwise if near is None else f"there it is '{shown(near)}', so write both alike"


def _core(name: str) -> object:
    number = number_of(name)
    return name.strip().lower() if number is None else number


def listed(names: Sequence[str]) -> str:
    """Return names in a row, the first few of many."""
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(shown(name, 40) for name in names[:SHOWN]) + more


# --- text


def _header(path: Path, line: str) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns, and what parts cells."""
    if not line.strip():
        raise SmixupError(f"{path.name} is empty: its first line must name the columns.")
    delimiter = _delimiter(path, line)
    try:
        names = next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as reason:
        raise SmixupError(
            f"the first line of {path.name} cannot be read ({reason}): is a quote not closed?"
        ) from reason
    return _checked_names(path, names), delimiter


def _delimiter(path: Path, header: str) -> str:
    """Return what parts the cells of the first line, in which nothing else should stand often."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = "".join(header.split('"')[::2])  # what is quoted does not count
    counts = {delimiter: plain.count(delimiter) for delimiter in DELIMITERS}
    likely = [delimiter for delimiter, count in counts.items() if count == max(counts.values())]
    if any(counts.values()) and len(likely) > 1:
        words = " and ".join(DELIMITERS[delimiter] for delimiter in likely)
        raise SmixupError(
            f"the first line of {path.name} has as many {words}: quote the names of columns that "
            "hold one of them."
        )
    return likely[0]


def _checked_names(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() or f"column {place}" for place, name in enumerate(cells, 1))
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise SmixupError(f"{path.name} has {count} columns '{shown(name)}': rename them.")
    return names


def _parsed(path: Path, text: str, delimiter: str, width: int) -> pa.Table:
    """Return the rows behind the first line. Arrow reads them, unless there are quotes, which it
    takes as they come, or something is wrong: then Python's reader tells where.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    types = {str(place): pa.large_string() for place in range(width)}
    odd = any(mark in text for mark in ('"', "\n\n", "\n\r\n"))
    if "\n" in text and not odd:
        with suppress(pa.ArrowInvalid):
            return arrow.read_csv(
                pa.BufferReader(text.encode()),
                arrow.ReadOptions(skip_rows=1, column_names=list(types), use_threads=False),
                arrow.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
                arrow.ConvertOptions(column_types=types),
            )
    rows = list(_rows(path, text, delimiter, width))
    columns = zip(*rows, strict=True) if rows else [()] * width
    return pa.table([pa.array(cells, pa.large_string()) for cells in columns], list(types))


def _rows(path: Path, text: str, delimiter: str, width: int) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    next(reader)
    row = 0
    try:
        for row, cells in enumerate(reader, 1):
            if not cells:
                raise SmixupError(f"row {row} of {path.name} is empty: remove it.")
            if len(cells) != width:
                advice = (
                    "quote cells in which commas, semicolons or tabs stand."
                    if len(cells) > width
                    else "add those that are missing; a cell may be empty."
                )
                raise SmixupError(
                    f"row {row} of {path.name} has {len(cells)} cell{'s' * (len(cells) != 1)} "
                    f"where the first line names {width} column{'s' * (width != 1)}: {advice}"
                )
            yield cells
    except csv.Error as reason:
        raise SmixupError(
            f"row {row + 1} of {path.name} cannot be read ({reason}): is a quote not closed?"
        ) from reason


# --- parquet


@contextmanager
def _opened_parquet(path: Path) -> Iterator[Any]:
    """Open a parquet file; a damaged one is refused as soon as it shows."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (OSError, ValueError, pa.ArrowException) as reason:
        raise unreadable(path, reason) from reason


def texts_of(path: Path, name: str, array: pa.ChunkedArray) -> list[str]:
    """Return the cells of a column as a CSV would have them."""
    import pyarrow as pa

    try:
        values: list[Any] = array.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException) as reason:
        raise unreadable(path, reason) from reason
    if pa.types.is_large_string(array.type):
        return ["" if value is None else value for value in values] if array.null_count else values
    short = str(array.type) in ("float", "halffloat")
    try:
        return [_text(value, short) for value in values]
    except UnicodeDecodeError as reason:
        raise SmixupError(
            f"column '{shown(name)}' of {path.name} holds bytes that are no UTF-8."
        ) from reason


def _text(value: Any, short: bool) -> str:
    """Return a cell as a CSV would have it; `short` numbers have few digits that count."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return str(np.float32(value)) if short else str(value)
