"""A table as data: what was run, what it says, and what it does not say. Formats are in
`pages/formats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smixup.lab.tables.cell import Choice
from smixup.lab.tables.comparison import Difference, Summary
from smixup.lab.tables.scope import Scope

SCORES = {
    "test": "test score, %",
    "test_loss": "test loss",
    "calibration_error": "calibration error, %",
}
LOWER_IS_BETTER = ("test_loss", "calibration_error")


@dataclass(frozen=True)
class Entry:
    """What a cell shows.

    Attributes:
        summary: mean, deviation and number of runs; None if nothing was run.
        difference: to the reference on the same seeds; None for the reference itself.
        best: whether it has the best mean of its column, and is better than the reference by an
            interval without zero.
        complete: whether all seeds of the whole grid were run.
    """

    choice: Choice
    summary: Summary | None
    difference: Difference | None
    best: bool
    complete: bool


@dataclass(frozen=True)
class ResultTable:
    """The filled cells of an experiment.

    Attributes:
        name: of the experiment.
        title: above the table.
        note: what a reader must know.
        scope: which part it is.
        choices: the cells.
        reference: the row that the others are compared with.
    """

    name: str
    title: str
    note: str
    scope: Scope
    choices: Sequence[Choice]
    reference: str

    @property
    def backbones(self) -> list[str]:
        """The parts, in order."""
        return list(dict.fromkeys(choice.cell.backbone for choice in self.choices))

    @property
    def rows(self) -> list[str]:
        """The arms, in order."""
        return list(dict.fromkeys(choice.cell.row for choice in self.choices))

    @property
    def columns(self) -> list[str]:
        """The conditions, in order."""
        return list(dict.fromkeys(choice.cell.column for choice in self.choices))

    def choice(self, backbone: str, row: str, column: str) -> Choice:
        """Return one filled cell."""
        where = (backbone, row, column)
        return next(
            each
            for each in self.choices
            if (each.cell.backbone, each.cell.row, each.cell.column) == where
        )

    def entry(self, backbone: str, row: str, column: str, score: str = "test") -> Entry:
        """Return what one cell shows of a score."""
        choice = self.choice(backbone, row, column)
        difference = self._difference(choice, score)
        better = (
            difference is not None and difference.decided and _sign(score) * difference.mean > 0
        )
        best = better and self._best_row(backbone, column, score) == row
        return Entry(choice, choice.summary(score), difference, best, choice.complete)

    def _difference(self, choice: Choice, score: str) -> Difference | None:
        if choice.cell.row == self.reference:
            return None
        reference = self.choice(choice.cell.backbone, self.reference, choice.cell.column)
        return choice.difference(reference, score)

    def _best_row(self, backbone: str, column: str, score: str) -> str | None:
        means = {row: self.choice(backbone, row, column).summary(score) for row in self.rows}
        found = {
            row: _sign(score) * summary.mean
            for row, summary in means.items()
            if summary is not None
        }
        return max(found, key=lambda row: found[row]) if found else None


def _sign(score: str) -> int:
    return -1 if score in LOWER_IS_BETTER else 1
