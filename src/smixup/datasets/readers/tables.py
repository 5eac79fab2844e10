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
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from smixup.datasets.text import is_gzipped, parsed, read_text, readable
from smixup.errors import SmixupError, shown, unknown_name
from smixup.memory import require_room

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = (".parquet", ".pq")
MATRIX_TEXT = (".csv", ".csv.gz")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *PARQUET)
INDEX = re.compile(r"column \d+|Unnamed: \d+|__index_level_\d+__")
CELL = 80  # bytes of memory, of parquet

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
