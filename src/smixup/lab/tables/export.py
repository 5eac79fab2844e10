"""Runs of an experiment as CSV or JSON Lines, each with its cell and whether its settings were
chosen.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from smixup.lab.runs.config import NAMING_FIELDS
from smixup.lab.runs.words import finite
from smixup.lab.sweeps.record import Record
from smixup.lab.tables.result import ResultTable

Curves = Mapping[str, Mapping[str, list[float]]]


def rows(table: ResultTable, records: Mapping[str, Record]) -> Iterator[dict[str, Any]]:
    """Yield every run behind a table that was tried, failed ones too."""
    for cell in table.cells:
        for candidate in cell.candidates:
            about = {
                "experiment": table.name,
                "row": cell.row,
                "column": cell.column,
                "selected": candidate is cell.chosen and bool(cell.runs),
            }
            for id in candidate.ids.values():
                if id in records:
                    yield about | flat(records[id])


def flat(record: Record) -> dict[str, Any]:
    """Return the columns of a run; those of its result are None if it failed."""
    scores = ("test", "validation", "test_loss", "calibration_error", "best_epoch")
    return {
        "id": record.id,
        "state": "done" if record.done else "failed",
        **{name: record.config[name] for name in NAMING_FIELDS},
        **{name: getattr(record.result, name, None) for name in scores},
        "seconds": record.seconds,
        "training_seconds": getattr(record.result, "seconds", None),
        "config": record.config,
        "versions": getattr(record.result, "versions", None),
        "metric": getattr(record.result, "metric", None),
        "error": record.error,
        "host": record.host,
        "finished": record.finished,
    }


def to_json_lines(table: ResultTable, records: Mapping[str, Record], curves: Curves) -> str:
    """Return one JSON object per run with its curves; what JSON has no number for, such as an
    infinite loss, is null.
    """
    found = (row | {"curves": curves.get(row["id"])} for row in rows(table, records))
    return "".join(json.dumps(finite(row)) + "\n" for row in found)


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
