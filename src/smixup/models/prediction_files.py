"""Columns of predictions as a file."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from smixup.errors import UsageError
from smixup.files import require_writable, write_whole

Column: TypeAlias = Sequence[Any]
Columns: TypeAlias = Mapping[str, Column]

STDOUT = "-"
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


def require_ending(path: str) -> None:
    """Refuse a file of a kind that cannot be written."""
    if path != STDOUT and Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"predictions are written to {', '.join(ENDINGS)} or -, not to {path}.")


def require_place(path: str) -> None:
    """Refuse a place where nothing can be written, before there is anything to write."""
    if path != STDOUT:
        require_writable(Path(path), "the predictions")


def require_apart(path: str, source: str) -> None:
    """Refuse to write over the data that predictions are made for, or into its folder."""
    if path == STDOUT or not Path(path).exists():
        return
    written, read = Path(path).resolve(), Path(source).expanduser().resolve()
    if written == read or read in written.parents:
        raise UsageError(f"{path} is data that is read: name another file for the predictions.")


def write_columns(columns: Columns, path: str) -> Path | None:
    """Write columns of one length to a file of the kind that its ending says, or print them as CSV
    if the path is `-`.
    """
    require_ending(path)
    if path == STDOUT:
        sys.stdout.write(_separated(columns, ","))
        return None
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        content: str | bytes = _parquet(columns)
    elif ending == ".jsonl":
        content = _json_lines(columns)
    else:
        content = _separated(columns, "\t" if ending == ".tsv" else ",")
    return write_whole(Path(path), content, "the predictions")


def _separated(columns: Columns, separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_cell, column) for column in columns.values()), strict=True))
    return text.getvalue()


def _json_lines(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(
        json.dumps(dict(zip(columns, map(_plain, row), strict=True)), ensure_ascii=False) + "\n"
        for row in rows
    )


def _parquet(columns: Columns) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    table = arrow.table({name: _uniform(column) for name, column in columns.items()})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def _uniform(column: Column) -> Column:
    """Return a column of one type: names of classes may be numbers and text."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return column
    return [value if value is None else str(value) for value in column]


def _cell(value: Any) -> str:
    """Return a value as text: single precision with as many digits as tell it from all others;
    nothing for None.
    """
    return "" if value is None else str(value)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; infinite ends of intervals are text."""
    if isinstance(value, np.floating):
        value = float(str(value))  # the same few digits as in CSV
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value
