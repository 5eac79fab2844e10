"""The tables of the paper as far as they were run, at the defaults of every method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smixup.lab.pages.results.committed_records import CommittedRecords
from smixup.lab.pages.results.comparisons import compare_all
from smixup.lab.pages.results.words import interval, markdown_table
from smixup.lab.tables.judged import Comparison
from smixup.lab.tables.result import ResultTable

SHOWN = ("performance", "robustness", "strategies", "matchers", "normalization", "alpha")
NOT_RUN = "No table of the paper was run for these records."


def paper_tables(committed: CommittedRecords) -> str:
    """Write, for every table that has runs, each method less the reference, dataset by dataset."""
    parts = [part for name in SHOWN for part in _table(committed, committed.table(name))]
    return "\n\n".join(parts) or NOT_RUN


def _table(committed: CommittedRecords, table: ResultTable) -> Iterator[str]:
    rows = list(dict.fromkeys(cell.row for cell in table.cells if cell.row != table.reference))
    pairs = [(row, table.reference) for row in rows]
    comparisons = compare_all(table, committed.kept, pairs, "accuracy")
    for backbone in table.backbones:
        columns = [
            name
            for name in table.columns(backbone)
            if any((backbone, name) in each.by_place for each in comparisons)
        ]
        if columns:
            yield f"`{table.name}`, {backbone.upper()}:"
            yield _by_method(table, comparisons, backbone, columns)


def _by_method(
    table: ResultTable, comparisons: Sequence[Comparison], backbone: str, columns: Sequence[str]
) -> str:
    """Write a row for the reference, with the number of its runs, and one for every method."""
    first = [_reference(table, backbone, name) for name in columns]
    rows = [[f"{table.reference}, % (n)", *first]]
    for each in comparisons:
        found = [each.by_place.get((backbone, name)) for name in columns]
        if any(found):
            texts = [interval(cell.estimate) if cell else "" for cell in found]
            rows.append([f"{each.row} less {each.against}", *texts])
    return markdown_table(["", *columns], rows)


def _reference(table: ResultTable, backbone: str, column: str) -> str:
    cell = table.cell(backbone, table.reference, column)
    score = cell.summary("accuracy")
    return f"{score.mean:.2f} ({len(cell.runs)})" if score else ""
