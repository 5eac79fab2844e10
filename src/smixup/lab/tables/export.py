"""Runs of an experiment as CSV or JSON Lines, each with its cell and whether its settings were
chosen.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from smixup.lab.sweeps.exported import to_line, to_row
from smixup.lab.sweeps.record import Record
from smixup.lab.tables.result import ResultTable

Curves = Mapping[str, Mapping[str, list[float]]]


def rows(table: ResultTable, records: Mapping[str, Record]) -> Iterator[dict[str, Any]]:
    """Yield every run behind a table that was tried, failed ones too."""
    for cell in table.cells:
        chosen = set(cell.chosen.ids.values()) if cell.runs else set()
        for candidate in cell.candidates:
            about = {
                "experiment": table.name,
                "row": cell.row,
                "column": cell.column,
            }
            for id in candidate.ids.values():
                if id in records:
                    yield about | {"selected": id in chosen} | to_row(records[id])


def to_json_lines(table: ResultTable, records: Mapping[str, Record], curves: Curves) -> str:
    """Return one JSON object per run with its curves; see `exported.to_line`."""
    found = (row | {"curves": curves.get(row["id"])} for row in rows(table, records))
    return "".join(map(to_line, found))


def to_csv(table: ResultTable, records: Mapping[str, Record]) -> str:
    """Return one line per run, without curves; configuration and versions are JSON in their
    columns.
    """
    text = io.StringIO()
    found = [
        {**row, **{name: json.dumps(row[name]) for name in ("config", "versions")}}
        for row in rows(table, records)
    ]
    writer = csv.DictWriter(text, list(found[0]) if found else ["experiment"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()
