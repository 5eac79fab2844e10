"""Runs as lines of a table and back; without curves, so that the file stays small."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from smixup.app.sweeps.exported import COUNTS, OUTCOMES, SCORES, Row, from_row
from smixup.app.sweeps.record import Record

AS_JSON = ("config", "versions")
QUOTE = "'"
FORMULA = ("=", "+", "-", "@", "\t", "\r", QUOTE)
"""What cells begin with that a spreadsheet computes, or that it takes away."""
NUMBERS = (*SCORES, *OUTCOMES, "seconds", "training_seconds")


def to_csv(rows: Iterable[Row]) -> str:
    """Return one line per run; configuration and versions are JSON in their columns."""
    found = [
        {name: _harmless(each) for name, each in row.items()}
        | {name: json.dumps(row[name]) for name in AS_JSON}
        for row in rows
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(found[0]) if found else ["experiment"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def from_csv(text: str) -> Iterator[tuple[int, Record]]:
    """Yield the run of every line that `to_csv` wrote, with the number of the line.

    Raises:
        ValueError, TypeError: the next line is damaged.
    """
    csv.field_size_limit(sys.maxsize)  # predictions of large datasets are long
    reader = csv.DictReader(io.StringIO(text))
    for row in reader:
        yield reader.line_num, from_row(_typed(row))


def _harmless(value: Any) -> Any:
    """Return text that a spreadsheet does not take for a formula."""
    return f"{QUOTE}{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _as_it_was(value: str | None) -> str | None:
    """Return text as it was before `_harmless`."""
    quoted = value is not None and value.startswith(QUOTE) and value[1:].startswith(FORMULA)
    return value[1:] if quoted and value else value


def _typed(row: Mapping[str, str | None]) -> Row:
    """Return a line with numbers, counts and JSON read; what is empty is None."""
    found: dict[str, Any] = {name: _as_it_was(value) or None for name, value in row.items()}
    for names, read in ((AS_JSON, json.loads), (NUMBERS, float), (COUNTS, int)):
        found |= {name: read(found[name]) for name in names if found.get(name) is not None}
    return found
