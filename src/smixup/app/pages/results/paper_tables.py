"""The tables of the paper as far as they were run, at the defaults of every method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from smixup.app.evidence.estimate import FEWEST
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import compare_all
from smixup.app.pages.results.words import interval, markdown_table, power
from smixup.app.runs.words import signed
from smixup.app.tables.judged import Comparison
from smixup.app.tables.result import ResultTable

SHOWN = ("performance", "robustness", "strategies", "matchers", "normalization", "alpha")
VARIANTS = ("strategies", "matchers", "normalization", "alpha")
"""Tables that compare forms of S-Mixup: one form alone, which `performance` has as well, answers
nothing.
"""
NOT_RUN = "No table of the paper was run for these records."


def paper_tables(committed: CommittedRecords) -> str:
    """Write, for every table that has runs, each method less the reference, one dataset after
    another.
    """
    parts = [part for name in SHOWN for part in _tables(committed, committed.table(name))]
    return "\n\n".join(parts) or NOT_RUN


def _tables(committed: CommittedRecords, table: ResultTable) -> Iterator[str]:
    pairs = [(row, table.reference) for row in table.rows if row != table.reference]
    comparisons = [_decidable(each) for each in compare_all(committed, table, pairs, "accuracy")]
    fewest = 2 if table.name in VARIANTS else 1
    for backbone in table.backbones:
        for column in table.columns(backbone):
            if sum((backbone, column) in each.by_place for each in comparisons) >= fewest:
                yield f"`{table.name}`, {column}, {backbone.upper()}:"
                yield _by_method(table, comparisons, backbone, column)


def _decidable(comparison: Comparison) -> Comparison:
    """Leave out cells of so few runs that they have no interval."""
    return replace(comparison, cells=[each for each in comparison.cells if each.runs >= FEWEST])


def _by_method(
    table: ResultTable, comparisons: Sequence[Comparison], backbone: str, column: str
) -> str:
    """Write a row for the reference and one for every method that was run."""
    head = [
        *(
            "",
            "n",
            "test accuracy",
            f"less {table.reference}, same splits",
            "would show, 4 of 5 times",
        ),
        f"the paper's, less its {table.reference}",
    ]
    rows = [[table.reference, *_score(table, backbone, table.reference, column), "", "", ""]]
    for each in comparisons:
        found = each.by_place.get((backbone, column))
        if found is not None:
            _, score = _score(table, backbone, each.row, column)
            said = _said_by_paper(table, backbone, each.row, column)
            estimate = found.estimate
            row = [each.row, str(found.runs), score, interval(estimate), power(estimate, 2), said]
            rows.append(row)
    return markdown_table(head, rows)


def _score(table: ResultTable, backbone: str, row: str, column: str) -> tuple[str, str]:
    """Write the number of runs of a cell and their mean."""
    cell = table.cell(backbone, row, column)
    score = cell.summary("accuracy")
    return str(len(cell.runs)), f"{score.mean:.2f}" if score else ""


def _said_by_paper(table: ResultTable, backbone: str, row: str, column: str) -> str:
    """Write the difference of the means that the paper reports. It tells no interval of it."""
    said = table.cell(backbone, row, column).published
    reference = table.cell(backbone, table.reference, column).published
    return signed(said.mean - reference.mean, 2) if said and reference else ""
