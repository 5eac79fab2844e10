"""What the cells of a table say of one row against another, with what is known of the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from smixup.app.evidence.estimate import FEWEST, Estimate
from smixup.app.evidence.holm import holm
from smixup.app.evidence.random_effects import Pooled, random_effects
from smixup.app.tables.by_graph import Kept, Paired, averaged, compared
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.result import ResultTable

LEVEL = 0.05
"""The chance of a wrong decision, over all cells of a comparison together."""


@dataclass(frozen=True)
class Judgement:
    """One cell: a row less another, by graph.

    Attributes:
        backbone, column: where it stands.
        paired: the differences.
        estimate: their mean with its interval.
        adjusted_p: Holm's, over all cells of the comparison.
    """

    backbone: str
    column: str
    paired: Paired
    estimate: Estimate
    adjusted_p: float = 1.0

    @property
    def runs(self) -> int:
        """Pairs of runs."""
        return len(self.paired.seeds)

    @property
    def remains(self) -> bool:
        """Whether it is decided after Holm's correction, too."""
        return self.adjusted_p < LEVEL


@dataclass(frozen=True)
class Comparison:
    """One row of a table less another, cell by cell.

    Attributes:
        row, against: the rows.
        outcome: a name of `by_graph.OUTCOMES`.
        cells: those in which both were run.
    """

    row: str
    against: str
    outcome: str
    cells: Sequence[Judgement]

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Judgement]:
        """The cells by backbone and column."""
        return {(each.backbone, each.column): each for each in self.cells}

    def by_column(self, columns: Sequence[str]) -> dict[str, Estimate]:
        """Return the estimates of columns with backbones averaged, where three splits at least tell
        their error: that of two may be next to nothing by chance, and would outweigh all others.
        """
        found = {
            name: averaged([each.paired for each in self.cells if each.column == name])
            for name in columns
        }
        estimates = {name: each.estimate() for name, each in found.items() if each is not None}
        return {
            name: each
            for name, each in estimates.items()
            if each.number >= FEWEST and 0 < each.se < float("inf")
        }

    def pooled(self, columns: Sequence[str]) -> Pooled | None:
        """Return one estimate over columns, which must be of different datasets, from `by_column`;
        None if fewer than two have an estimate.
        """
        known = list(self.by_column(columns).values())
        if len(known) < 2:
            return None
        return random_effects([each.mean for each in known], [each.se for each in known])


def compare_rows(
    table: ResultTable, kept: Kept, row: str, against: str, outcome: str = "accuracy"
) -> Comparison:
    """Compare two rows of a table in all cells where both were run, with Holm's correction over
    these cells.
    """
    cells = []
    for cell in (each for each in table.cells if each.row == row):
        reference = table.cell(cell.backbone, against, cell.column)
        found = _judged(cell, reference, kept, outcome)
        cells += [found] if found else []
    adjusted = holm([each.estimate.p for each in cells])
    judged = [replace(each, adjusted_p=float(p)) for each, p in zip(cells, adjusted, strict=True)]
    return Comparison(row, against, outcome, judged)


def _judged(cell: FilledCell, reference: FilledCell, kept: Kept, outcome: str) -> Judgement | None:
    paired = compared(cell, reference, kept, outcome)
    if paired is None:
        return None
    return Judgement(cell.backbone, cell.column, paired, paired.estimate())
