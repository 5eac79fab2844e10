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
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.datasets.text import BLOCK, is_gzipped, lines_of, opened, opened_text, unreadable
from smixup.errors import SmixupError, UsageError
from smixup.memory import require_room
from smixup.shown import number_of, shown

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = (".parquet", ".pq")
MATRIX_TEXT = (".csv", ".csv.gz")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *PARQUET)
INDEX = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # how pandas calls an index
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
MARKS = {
    b"PK\x03\x04": "a zip archive by its content, as Excel files are: save a CSV, or unpack it.",
    b"\xd0\xcf\x11\xe0": "an Excel file by its content: save it as CSV.",
    b"\x1f\x8b": "gzipped by its content: let its name end in .gz, or unpack it.",
    b"PAR1": "a parquet file by its content: let its name end in .parquet.",
    b"\xff\xfe": "UTF-16: save it as UTF-8.",
    b"\xfe\xff": "UTF-16: save it as UTF-8.",
}
"""What files that are no CSV begin with, and what to do."""
ROWS = 1 << 16  # at once
CELL = 80  # bytes of memory
SHOWN = 12

Table = Mapping[str, tuple[str, ...]]


def is_table(path: Path) -> bool:
    """Tell by its name whether a file is a table."""
    return path.name.lower().endswith(TABLES) and path.is_file()


def stem_of(path: Path) -> str:
    """Return the name of a file without what tells its kind: `edges` of `edges.csv.gz`."""
    return Path(path.stem).stem if is_gzipped(path) else path.stem


def column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a table's columns; of a CSV, its first line alone is read."""
    if is_parquet(path):
        with _opened_parquet(path) as file:
            return _checked_names(path, file.schema_arrow.names)
    with opened_text(path) as stream:
        return _header(path, lines_of(stream, path))[0]


def read_table(path: Path, columns: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return columns of a table by name, each cell as text; an empty cell is an empty text.

    Args:
        path: of a CSV or parquet file.
        columns: which ones, in this order; all if None.
    """
    arrays = read_arrays(path, column_names(path) if columns is None else columns)
    return {name: tuple(_texts(path, name, array)) for name, array in arrays.items()}


def read_arrays(path: Path, columns: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    """Return columns of a table as Arrow has them: of a CSV text, of parquet as it was written."""
    import pyarrow as pa

    known = column_names(path)
    for name in columns:
        require_column(path, name, known)
    places = [known.index(name) for name in columns]
    words, remedy = f"{shown(path.name)} as a table", "take fewer rows"
    if is_parquet(path):
        with _opened_parquet(path) as file:
            require_room(CELL * file.metadata.num_rows * len(columns), words, remedy)
            own = [file.schema_arrow.names[place] for place in places]
            table = file.read(own)
            return {name: table[field] for name, field in zip(columns, own, strict=True)}
    if (table := _plain_table(path, len(known), len(columns))) is not None:
        return {name: table[place] for name, place in zip(columns, places, strict=True)}
    chunks: list[list[Any]] = [[] for _ in columns]
    rows, number = _rows(path), 0
    while part := list(islice(rows, ROWS)):
        number += len(part)
        require_room(CELL * number * len(columns), words, remedy)
        for chunk, place in zip(chunks, places, strict=True):
            chunk.append(pa.array([cells[place] for cells in part], pa.large_string()))
    return {
        name: pa.chunked_array(chunk, pa.large_string())
        for name, chunk in zip(columns, chunks, strict=True)
    }


def require_column(path: Path, name: str, known: Sequence[str]) -> None:
    """Refuse the name of a column that a table does not have, and tell the nearest."""
    if name in known:
        return
    lower = {column.lower(): column for column in known}
    close = get_close_matches(name.lower(), lower, n=1)
    hint = f" Did you mean '{shown(lower[close[0]])}'?" if close else ""
    raise UsageError(
        f"{shown(path.name)} has no column '{shown(name)}'.{hint} It has {listed(known)}."
    )


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


def _plain_table(path: Path, width: int, columns: int) -> pa.Table | None:
    """Return a CSV without quotes, which Arrow reads at many times the speed; None if there are
    any, or if something is wrong: then `_rows` tells the place.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    blocks, rows = [], 0
    with opened(path) as stream:
        while block := stream.read(BLOCK):
            if b'"' in block or b"\0" in block or (len(block) == BLOCK and b"\n" not in block):
                return None
            blocks.append(block)
            rows += block.count(b"\n")
            require_room(CELL * rows * columns, f"{shown(path.name)} as a table", "take fewer rows")
    content = b"".join(blocks).rstrip(b"\r\n")
    with opened_text(path) as text:
        delimiter = _delimiter(path, next(lines_of(text, path), ""))
    if b"\n\n" in content or b"\n\r\n" in content or b"\n" not in content:
        return None
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(content),
            arrow_csv.ReadOptions(
                skip_rows=1, column_names=[str(place) for place in range(width)], use_threads=False
            ),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types={str(place): pa.large_string() for place in range(width)}
            ),
        )
    except (pa.ArrowException, ValueError):
        return None


def _rows(path: Path) -> Iterator[list[str]]:
    """Go through the rows of a CSV behind its first line."""
    row, gap = 0, 0
    with opened_text(path) as stream:
        try:
            names, rows = _header(path, lines_of(stream, path))
            for row, cells in enumerate(rows, 1):
                if len(cells) != len(names):
                    if not cells:  # an empty line; at the end, there may be some
                        gap = gap or row
                        continue
                    raise _ragged(path, row, len(cells), len(names))
                if gap:
                    raise SmixupError(f"row {gap} of {path.name} is empty: remove it.")
                yield cells
        except csv.Error as reason:
            raise SmixupError(
                f"row {row + 1} of {path.name} cannot be read ({reason}): is a quote not closed?"
            ) from reason
        except UnicodeDecodeError as reason:
            raise _not_text(path) from reason


def _header(path: Path, lines: Iterator[str]) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    """Return the names of the columns, and the reader of the rows behind them."""
    try:
        first = next(lines, "")
    except UnicodeDecodeError as reason:
        raise _not_text(path) from reason
    if "\0" in first:
        raise _not_text(path)
    if not first.strip():
        raise SmixupError(f"{path.name} is empty: its first line must name the columns.")
    delimiter = _delimiter(path, first)
    try:
        names = next(csv.reader([first], delimiter=delimiter, strict=True))
    except csv.Error as reason:
        raise SmixupError(
            f"the first line of {path.name} cannot be read ({reason}): is a quote not closed?"
        ) from reason
    rows = csv.reader(_without_nul(path, lines), delimiter=delimiter, strict=True)
    return _checked_names(path, names), rows


def _without_nul(path: Path, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise _not_text(path)
        yield line


def _delimiter(path: Path, header: str) -> str:
    """Return what parts the cells of the first line, in which nothing else should stand often."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = "".join(header.split('"')[::2])  # what is quoted does not count
    counts = {delimiter: plain.count(delimiter) for delimiter in DELIMITERS}
    most = max(counts.values())
    likely = [delimiter for delimiter, count in counts.items() if count == most]
    if most and len(likely) > 1:
        words = " and ".join(DELIMITERS[delimiter] for delimiter in likely)
        raise SmixupError(
            f"the first line of {path.name} has as many {words}: quote the names of columns that "
            "hold one of them."
        )
    return likely[0]


def _checked_names(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() or f"column {place}" for place, name in enumerate(cells, 1))
    counts = Counter(names)
    twice = next((name for name in names if counts[name] > 1), None)
    if twice is not None:
        raise SmixupError(f"{path.name} has {counts[twice]} columns '{shown(twice)}': rename them.")
    return names


def _ragged(path: Path, row: int, cells: int, columns: int) -> SmixupError:
    advice = (
        "quote cells in which commas, semicolons or tabs stand."
        if cells > columns
        else "add those that are missing; a cell may be empty."
    )
    return SmixupError(
        f"row {row} of {path.name} has {cells} cell{'s' * (cells != 1)} where the first line names "
        f"{columns} column{'s' * (columns != 1)}: {advice}"
    )


def _not_text(path: Path) -> SmixupError:
    """Return the error for a file that is not UTF-8: what else it is, or the line that is not."""
    with opened(path) as stream:
        start = stream.read(8)
        if words := next((words for mark, words in MARKS.items() if start.startswith(mark)), ""):
            return SmixupError(f"{path.name} is {words}")
        stream.seek(0)
        for line, content in enumerate(lines_of(stream, path), 1):
            try:
                content.decode("utf-8")
            except UnicodeDecodeError:
                return SmixupError(f"line {line} of {path.name} is not UTF-8: save it as UTF-8.")
            if b"\0" in content:
                break
    return SmixupError(f"{path.name} is no text in line {line}: save it as CSV in UTF-8.")


# --- parquet


def is_parquet(path: Path) -> bool:
    """Tell by its name whether a table is parquet; otherwise it is text."""
    return path.name.lower().endswith(PARQUET)


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


def _texts(path: Path, name: str, array: pa.ChunkedArray) -> list[str]:
    import pyarrow as pa

    try:
        values: list[Any] = array.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException) as reason:
        raise unreadable(path, reason) from reason
    if not is_parquet(path):
        return values
    short = str(array.type) in ("float", "halffloat")
    cells = []
    for row, value in enumerate(values, 1):
        try:
            cells.append(_text(value, short))
        except UnicodeDecodeError as reason:
            raise SmixupError(
                f"row {row} of {path.name} holds bytes in column '{name}' that are no UTF-8."
            ) from reason
    return cells


def _text(value: Any, short: bool) -> str:
    """Return a cell as a CSV would have it; `short` numbers have few digits that count."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        import numpy as np

        return str(np.float32(value)) if short else repr(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | dict):
        return json.dumps(value, default=str)
    return str(value)
