"""Do probabilities get better, too, once both arms are scaled by a temperature?"""

from __future__ import annotations

from dataclasses import replace

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import compare_all, pooled_row, pooled_table
from smixup.app.pages.results.words import markdown_table
from smixup.app.tables.by_graph import Kept, with_validation
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.definitions.few_labels import CONDITIONS, EPOCHS
from smixup.app.tables.result import ResultTable

PAIRS = (("S-Mixup", "Vanilla"), ("random one-to-one", "Vanilla"))
OUTCOMES = {
    "log_loss": "log loss",
    "scaled_loss": "log loss, scaled",
    "brier": "Brier score",
    "scaled_brier": "Brier score, scaled",
}


def calibration(committed: CommittedRecords) -> str:
    """Pool losses over datasets, and show calibration errors by dataset."""
    table = committed.table("few-labels")
    rows = []
    for outcome, words in OUTCOMES.items():
        comparisons = compare_all(committed, table, PAIRS, outcome)
        for number in EPOCHS:
            names = [f"{name}-{number}" for name in CONDITIONS]
            rows.append(pooled_row(f"{words}, {number} labels", comparisons, names))
    return f"{pooled_table(rows, comparisons)}\n\n{_errors(table, committed.kept)}"


def _errors(table: ResultTable, kept: Kept) -> str:
    head = [
        "calibration error, %",
        *(f"{row}{how}" for row in table.rows for how in ("", ", scaled")),
    ]
    rows = []
    for backbone in table.backbones:
        for column in table.columns(backbone):
            cells = [table.cell(backbone, row, column) for row in table.rows]
            texts = [text for cell in cells for text in _of_cell(cell, kept)]
            if any(texts):
                rows.append([f"{column}, {backbone.upper()}", *texts])
    return markdown_table(head, rows)


def _of_cell(cell: FilledCell, kept: Kept) -> list[str]:
    """Write the error before and after scaling, the latter of the runs that can tell."""
    scalable = replace(cell, runs=with_validation(cell.runs, kept))
    found = cell.summary("calibration_error"), scalable.summary("scaled_calibration_error")
    return [f"{each.mean:.1f}" if each else "" for each in found]
