"""What of the experiments was run, by which code, and what was left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from smixup.lab.pages.results import paper_tables
from smixup.lab.pages.results.committed_records import CommittedRecords
from smixup.lab.pages.results.words import markdown_table
from smixup.lab.tables.result import ResultTable

SHOWN = ("few-labels", "noisy-labels", "icml2026", "bonds", *paper_tables.SHOWN)


def coverage(committed: CommittedRecords) -> str:
    """Count runs by experiment and column, and name the code that ran them."""
    tables = [committed.table(name) for name in SHOWN]
    head = ["experiment", "column", "runs", "of"]
    rows = [line for table in tables for line in _lines(table)]
    commits = Counter(
        str(record.result.versions.get("commit", "unknown"))
        for record in committed.records.values()
        if record.result is not None
    )
    by_commit = ", ".join(f"{number} by `{commit}`" for commit, number in commits.most_common())
    failed = sum(not record.done for record in committed.records.values())
    words = f"{sum(commits.values())} runs: {by_commit}; {failed} failed."
    return f"{words}\n\n{markdown_table(head, rows)}"


def _lines(table: ResultTable) -> Iterator[list[str]]:
    columns = dict.fromkeys(cell.column for cell in table.cells)
    for column in columns:
        cells = [cell for cell in table.cells if cell.column == column]
        done = sum(len(cell.runs) for cell in cells)
        wanted = sum(len(cell.chosen.configs) for cell in cells)
        if done or table.name not in paper_tables.SHOWN:
            yield [f"`{table.name}`", column, str(done), str(wanted)]
