"""Tables of differences: one row per condition, one column per comparison of two methods."""

from __future__ import annotations

from collections.abc import Sequence

from smixup.app.evidence.estimate import FEWEST
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import (
    POINT_DIGITS,
    digits_of,
    interval,
    markdown_table,
    power,
)
from smixup.app.runs.words import signed
from smixup.app.tables.judged import Comparison, Judgement
from smixup.app.tables.result import ResultTable


def compare_all(
    committed: CommittedRecords,
    table: ResultTable,
    pairs: Sequence[tuple[str, str]],
    outcome: str = "accuracy",
) -> list[Comparison]:
    """Compare several pairs of rows."""
    return [committed.compare(table, row, against, outcome) for row, against in pairs]


def difference_table(table: ResultTable, comparisons: Sequence[Comparison], backbone: str) -> str:
    """Write what the comparisons found under a backbone. The number of paired runs, the score that
    is compared with, and what would have been shown are those of the first comparison that was run;
    one that rests on another number of runs tells it.
    """
    digits = digits_of(comparisons[0].outcome)
    heads = [f"{each.row} less {each.against}" for each in comparisons]
    rows = []
    for column in table.columns(backbone):
        found = [each.by_place.get((backbone, column)) for each in comparisons]
        first = next((each for each in found if each is not None), None)
        if first is not None:
            reference = f"{first.paired.reference:.{digits}f}"
            texts = (_difference(each, first.runs, digits) for each in found)
            number, shown = str(first.runs), power(first.estimate, digits)
            rows.append([column, number, reference, *texts, shown])
    head = [backbone.upper(), "n", comparisons[0].against, *heads, "would show, 4 of 5 times"]
    return markdown_table(head, rows)


def _difference(found: Judgement | None, runs: int, digits: int) -> str:
    """Write a difference, with its number of runs if that is not the one of the row."""
    if found is None:
        return ""
    number = "" if found.runs == runs else f" (n = {found.runs})"
    return judged(found, digits) + number


def judged(found: Judgement, digits: int = POINT_DIGITS) -> str:
    """Write a difference with its interval, or without if it rests on fewer than three runs."""
    if found.runs < FEWEST:
        return signed(found.estimate.mean, digits)
    return interval(found.estimate, digits)


def pooled_row(name: str, comparisons: Sequence[Comparison], columns: Sequence[str]) -> list[str]:
    """Write one estimate over datasets for each comparison, backbones averaged."""
    digits = digits_of(comparisons[0].outcome)
    found = [each.pooled(columns) for each in comparisons]
    datasets = next((str(each.estimate.number) for each in found if each), "")
    spread = f"{found[0].tau:.{digits}f}" if found[0] else ""
    return [
        name,
        datasets,
        *(interval(each.estimate if each else None, digits) for each in found),
        spread,
    ]


def pooled_table(rows: Sequence[Sequence[str]], comparisons: Sequence[Comparison]) -> str:
    """Write rows of `pooled_row`; empty ones are left out."""
    heads = [f"{each.row} less {each.against}" for each in comparisons]
    kept = [row for row in rows if any(row[2:])]
    return markdown_table(["", "datasets", *heads, "spread between datasets"], kept)
