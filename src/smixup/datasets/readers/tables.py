"""Tables of one's own, CSV or parquet, as columns of text. No torch is needed here.

Example::

    table = read_table(Path("molecules.csv")) # {"smiles": ("CCO", ...), "active": ("1", ...)}
    for smiles, active in table_rows(path, ["smiles", "active"]):   # row by row, of a large file
        ...

A CSV is UTF-8, with or without a mark at its beginning, plain or gzipped; cells are parted by
commas, semicolons or tabs, which the first line tells. That line names the columns; a column
without a name is called by its place. Rows are counted from 1 behind it.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import IO, Any

from smixup.datasets.bounds import CELL
from smixup.datasets.readers.endings import is_parquet
from smixup.datasets.readers.parquet import opened_parquet
from smixup.datasets.text_streams import lines_of, opened, opened_text
from smixup.errors import SmixupError, UsageError
from smixup.memory import require_room
from smixup.numerals import number_of
from smixup.shown import shown

INDEX = re.compile(r"Unnamed: \d+|__index_level_\d+__")
"""Names that pandas gives to an index that was written as a column."""
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
ROWS_AT_ONCE = 10_000
SHOWN = 12

Table = dict[str, tuple[str, ...]]


def column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a table's columns; of a CSV, its first line alone is read."""
    if is_parquet(path):
        return _checked_names(path, _parquet_names(path))
    with opened_text(path) as stream:
        return _header(path, stream)[0]


def read_table(path: Path, columns: Sequence[str] | None = None) -> Table:
    """Return columns of a table by name, each cell as text; an empty cell is an empty text.

    Args:
        path: of a CSV or parquet file.
        columns: which ones, in this order; all if None.
    """
    names = column_names(path) if columns is None else tuple(columns)
    found: list[list[str]] = [[] for _ in names]
    rows, number = table_rows(path, names), 0
    while part := list(islice(rows, ROWS_AT_ONCE)):
        number += len(part)
        require_room(
            CELL * number * len(names), f"{shown(path.name)} as a table", "take fewer rows"
        )
        for cells, new in zip(found, zip(*part, strict=True), strict=True):
            cells.extend(new)
    return {name: tuple(cells) for name, cells in zip(names, found, strict=True)}


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Go through the rows of a table, of which no more than a few are in memory.

    Args:
        path: of a CSV or parquet file.
        columns: what to return of each row, in this order.
    """
    known = column_names(path)
    for name in columns:
        require_column(path, name, known)
    places = [known.index(name) for name in columns]
    return _parquet_rows(path, places) if is_parquet(path) else _text_rows(path, places)


def require_column(path: Path, name: str, known: Sequence[str]) -> None:
    """Refuse the name of a column that a table does not have, and tell the nearest."""
    if name in known:
        return
    lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), lower, n=1)
    hint = f" Did you mean '{shown(lower[close[0]])}'?" if close else ""
    told = f"{shown(path.name)} has no column '{shown(name)}'."
    raise UsageError(f"{told}{hint} It has {listed(known)}.")


def index_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are likely the index of a data frame: without a name of their own, or
    with one that pandas gives.

    >>> index_columns(("column 1", "graph", "Unnamed: 0", "column 9"))
    ('column 1', 'Unnamed: 0')
    """
    return tuple(
        name for place, name in enumerate(names, 1) if name == _by_place(place) or INDEX.match(name)
    )


def _by_place(place: int) -> str:
    return f"column {place}"


def advice_on(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return what to do about a name that another table does not have: write it like one that
    differs in blanks, in case, or as 1.0 from 1; else what is said.

    >>> advice_on("1.0", ["2", "1"], "add it")
    "there it is '1', so write both alike"
    """
    found = next((each for each in known if _core(each) == _core(name)), None)
    return otherwise if found is None else f"there it is '{shown(found)}', so write both alike"


def _core(name: str) -> object:
    number = number_of(name)
    return name.strip().lower() if number is None else number


def listed(names: Sequence[str]) -> str:
    """Return names in a row, the first few of many."""
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(shown(name, 40) for name in names[:SHOWN]) + more


# --- text


def _header(path: Path, stream: IO[str]) -> tuple[tuple[str, ...], Any]:
    """Return the names of the columns, and the reader of the rows behind them."""
    lines = lines_of(stream, path)
    try:
        first = next(lines, "")
    except UnicodeDecodeError as reason:
        raise _not_text(path) from reason
    if not first.strip():
        raise SmixupError(f"{path.name} is empty: its first line must name the columns.")
    if "\0" in first:
        raise _not_text(path, f"{path.name} is no text: save it as CSV in UTF-8, or as parquet.")
    delimiter = _delimiter(path, first)
    try:
        names = next(csv.reader([first], delimiter=delimiter, strict=True))
    except csv.Error as reason:
        raise SmixupError(
            f"the first line of {path.name} cannot be read ({reason}): is a quote not closed?"
        ) from reason
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    return _checked_names(path, names), rows


def _delimiter(path: Path, header: str) -> str:
    """Return what parts the cells of the first line, in which nothing else should stand often."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = "".join(header.split('"')[::2])  # what is quoted does not count
    counts = {each: plain.count(each) for each in DELIMITERS}
    most = max(counts.values())
    likely = [each for each, count in counts.items() if count == most]
    if most and len(likely) > 1:
        words = " and ".join(DELIMITERS[each] for each in likely)
        raise SmixupError(
            f"the first line of {path.name} has as many {words}: quote the names of columns that "
            "hold one of them."
        )
    return likely[0]


def _checked_names(path: Path, found: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() or _by_place(place) for place, name in enumerate(found, 1))
    counts = Counter(names)
    twice = next((name for name in names if counts[name] > 1), None)
    if twice is not None:
        raise SmixupError(f"{path.name} has {counts[twice]} columns '{shown(twice)}': rename them.")
    return names


def _text_rows(path: Path, places: Sequence[int]) -> Iterator[tuple[str, ...]]:
    row, gap = 0, 0
    with opened_text(path) as stream:
        names, rows = _header(path, stream)
        try:
            for row, cells in enumerate(rows, 1):
                if not cells:  # a line that is empty; at the end, there may be some
                    gap = gap or row
                    continue
                if gap:
                    raise SmixupError(f"row {gap} of {path.name} is empty: remove it.")
                if len(cells) != len(names):
                    raise _ragged(path, row, len(cells), len(names))
                yield tuple(cells[place] for place in places)
        except csv.Error as reason:
            raise SmixupError(
                f"row {row + 1} of {path.name} cannot be read ({reason}): is a quote not closed?"
            ) from reason
        except UnicodeDecodeError as reason:
            raise _not_text(path) from reason


def _ragged(path: Path, row: int, found: int, expected: int) -> SmixupError:
    cells = f"{found} cell{'' if found == 1 else 's'}"
    columns = f"{expected} column{'' if expected == 1 else 's'}"
    advice = (
        "quote cells in which commas, semicolons or tabs stand."
        if found > expected
        else "add those that are missing; a cell may be empty."
    )
    return SmixupError(
        f"row {row} of {path.name} has {cells} where the first line names {columns}: {advice}"
    )


def _not_text(path: Path, otherwise: str = "") -> SmixupError:
    """Return the error for a file that is not UTF-8: what else it is, or the line at which that
    shows, as the reader is ahead of it.
    """
    with opened(path) as stream:
        start = stream.read(8)
        if found := next((words for mark, words in MARKS.items() if start.startswith(mark)), ""):
            return SmixupError(f"{path.name} is {found}")
        stream.seek(0)
        for line, content in enumerate(lines_of(stream, path), 1):
            try:
                content.decode("utf-8")
            except UnicodeDecodeError:
                return SmixupError(f"line {line} of {path.name} is not UTF-8: save it as UTF-8.")
    return SmixupError(otherwise or f"{path.name} is not UTF-8: save it as UTF-8.")


# --- parquet


def _parquet_names(path: Path) -> list[str]:
    with opened_parquet(path) as file:
        return list(file.schema_arrow.names)


def _parquet_rows(path: Path, places: Sequence[int]) -> Iterator[tuple[str, ...]]:
    if not places:
        return
    row = 0
    with opened_parquet(path) as file:
        names = [file.schema_arrow.names[place] for place in places]
        need = CELL * file.metadata.num_rows * len(names)
        require_room(need, f"{shown(path.name)} as a table", "take fewer rows")
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=names):
            columns = [_cells(path, name, row, batch.column(name)) for name in names]
            yield from zip(*columns, strict=True)
            row += len(batch)


def _cells(path: Path, name: str, first: int, column: Any) -> list[str]:
    values, short = column.to_pylist(), str(column.type) in ("float", "halffloat")
    cells = []
    for row, value in enumerate(values, first + 1):
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
        return _shortest(value) if short else repr(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | dict):
        return json.dumps(value, default=str)
    return str(value)


def _shortest(value: float) -> str:
    import numpy as np  # for columns in single precision alone

    return str(np.float32(value))
