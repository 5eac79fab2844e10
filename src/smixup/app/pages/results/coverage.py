"""What of the experiments was run, by which code, and what was left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from smixup.app.pages.results import paper_tables
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import markdown_table
from smixup.app.tables.cell import Records
from smixup.app.tables.definitions import icml2026_search
from smixup.app.tables.result import ResultTable

SHOWN = ("few-labels", "noisy-labels", "icml2026", "bonds", *paper_tables.SHOWN)
SEARCHED = icml2026_search.EXPERIMENT.name
"""All settings that may be chosen are counted; those of others are their defaults alone."""


def coverage(committed: CommittedRecords) -> str:
    """Count runs by experiment and column, and name the code that ran them."""
    tables = [*map(committed.table, SHOWN), committed.searched_table(SEARCHED)]
    head = ["experiment", "column", "runs", "of"]
    rows = [line for table in tables for line in _lines(table, committed.records)]
    commits = Counter(
        str(record.result.versions.get("commit", "unknown"))
        for record in committed.records.values()
        if record.result is not None
    )
    by_commit = ", ".join(f"{number} by `{commit}`" for commit, number in commits.most_common())
    shared = "A run that two experiments share is counted in the rows of both."
    failed = sum(not record.done for record in committed.records.values())
    words = f"{sum(commits.values())} runs, by commit: {by_commit}; {failed} failed. {shared}"
    return f"{words}\n\n{markdown_table(head, rows)}"


def _lines(table: ResultTable, records: Records) -> Iterator[list[str]]:
    columns = dict.fromkeys(cell.column for cell in table.cells)
    for column in columns:
        cells = [cell for cell in table.cells if cell.column == column]
        candidates = [each for cell in cells for each in cell.candidates]
        done = sum(len(each.finished(records)) for each in candidates)
        wanted = sum(len(each.configs) for each in candidates)
        if done or table.name not in paper_tables.SHOWN:
            yield [f"`{table.name}`", column, str(done), str(wanted)]
