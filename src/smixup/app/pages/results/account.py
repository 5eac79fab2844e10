"""The whole account of an experiment: tables, estimates over datasets, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smixup.app.evidence.estimate import FEWEST
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import (
    compare_all,
    difference_table,
    pooled_row,
    pooled_table,
)
from smixup.app.pages.results.words import listed
from smixup.app.runs.words import counted
from smixup.app.tables.judged import Comparison, Judgement


def account(
    committed: CommittedRecords,
    experiment: str,
    pairs: Sequence[tuple[str, str]],
    outcome: str,
    pools: Mapping[str, Sequence[str]],
) -> str:
    """Write what an experiment found.

    Args:
        committed: the records.
        experiment: its name.
        pairs: of rows, each the first less the second.
        outcome: a name of `by_graph.OUTCOMES`.
        pools: columns of different datasets that are averaged, by what they have in common.
    """
    table = committed.table(experiment)
    comparisons = compare_all(committed, table, pairs, outcome)
    if not any(each.cells for each in comparisons):
        return "Not run yet."
    pooled = [pooled_row(name, comparisons, columns) for name, columns in pools.items()]
    parts = [difference_table(table, comparisons, each) for each in table.backbones]
    parts += ["Over datasets (random effects, both backbones averaged):"]
    parts += [pooled_table(pooled, comparisons), *_sentences(comparisons, outcome)]
    return "\n\n".join(parts)


def _sentences(comparisons: Sequence[Comparison], outcome: str) -> list[str]:
    """Count what was decided, either way."""
    lower = outcome != "accuracy"
    lines = []
    for each in comparisons:
        better, worse = (
            [
                cell
                for cell in each.cells
                if cell.estimate.decided and (cell.estimate.mean > 0) == up
            ]
            for up in (not lower, lower)
        )
        corrected = sum(cell.remains for cell in each.cells)
        lines.append(
            f"- *{each.row} less {each.against}*: {counted(len(each.cells), 'cell')}; better with "
            f"an interval in {len(better)}{_named(better)}, worse in {len(worse)}{_named(worse)}; "
            f"{corrected} after Holm's correction.{'' if lower else _ruled_out(each)}"
        )
    return ["\n".join(lines)]


def _ruled_out(comparison: Comparison) -> str:
    """Count the cells that leave no room for a gain of a point: their 90 % interval ends below."""
    closed = sum(
        cell.estimate.number >= FEWEST and cell.estimate.narrow_high < 1
        for cell in comparison.cells
    )
    return f" A gain of one point or more is ruled out in {closed} (one-sided, at 5 %)."


def _named(cells: Sequence[Judgement]) -> str:
    names = [f"{cell.column} {cell.backbone.upper()}" for cell in cells]
    return f" ({listed(names)})" if names else ""
