"""Runs of an experiment as CSV or JSON Lines, each with its cell and whether its settings were
chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from smixup.app.sweeps import exported_csv
from smixup.app.sweeps.exported import to_line, to_row, to_text
from smixup.app.sweeps.record import Record
from smixup.app.tables.result import ResultTable

Curves = Mapping[str, Mapping[str, list[float]]]
Predictions = Mapping[str, bytes]


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


def to_json_lines(
    table: ResultTable, records: Mapping[str, Record], curves: Curves, predictions: Predictions
) -> str:
    """Return one JSON object per run with its curves and predictions; see `exported.to_line`."""
    found = _with_predictions(table, records, predictions)
    return "".join(to_line(row | {"curves": curves.get(row["id"])}) for row in found)


def to_csv(table: ResultTable, records: Mapping[str, Record], predictions: Predictions) -> str:
    """Return one line per run with its predictions, without curves; see `exported_csv`."""
    return exported_csv.to_csv(_with_predictions(table, records, predictions))


def _with_predictions(
    table: ResultTable, records: Mapping[str, Record], predictions: Predictions
) -> Iterator[dict[str, Any]]:
    for row in rows(table, records):
        yield row | {"predictions": to_text(predictions.get(row["id"], b""))}
