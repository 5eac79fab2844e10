"""A table as data: what was run, what it says, and what it does not say. Formats are in
`pages/formats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smixup.app.tables.cell import FilledCell
from smixup.app.tables.comparison import Difference
from smixup.app.tables.scope import Scope


@dataclass(frozen=True)
class ResultTable:
    """The filled cells of an experiment.

    Attributes:
        name: of the experiment.
        title: above the table.
        note: what a reader must know.
        scope: which part it is.
        cells: what was run, place by place.
        reference: the row that the others are compared with.
        published_by: whose values stand beside ours.
    """

    name: str
    title: str
    note: str
    scope: Scope
    cells: Sequence[FilledCell]
    reference: str
    published_by: str = "paper"

    @property
    def backbones(self) -> list[str]:
        """The parts, in order."""
        return list(dict.fromkeys(cell.backbone for cell in self.cells))

    @property
    def rows(self) -> list[str]:
        """The arms, in order."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    def columns(self, backbone: str) -> list[str]:
        """The conditions under a backbone, in order."""
        return list(dict.fromkeys(cell.column for cell in self.cells if cell.backbone == backbone))

    def cell(self, backbone: str, row: str, column: str) -> FilledCell:
        """Return the cell at a place."""
        place = (backbone, row, column)
        return next(each for each in self.cells if (each.backbone, each.row, each.column) == place)

    def difference(self, cell: FilledCell, score: str = "test") -> Difference | None:
        """Compare a cell with the reference on the same seeds; None for the reference itself."""
        if cell.row == self.reference:
            return None
        return cell.difference(self.cell(cell.backbone, self.reference, cell.column), score)

    def is_best(self, cell: FilledCell, score: str = "test") -> bool:
        """Whether a cell has the best mean of its column, and is better than the reference by an
        interval without zero.
        """
        difference, lower = self.difference(cell, score), cell.score(score).lower_is_better
        if difference is None or not difference.decided:
            return False
        rivals = (self.cell(cell.backbone, row, cell.column) for row in self.rows)
        means = {each.row: found.mean for each in rivals if (found := each.summary(score))}
        best = (min if lower else max)(means, key=means.__getitem__)
        return best == cell.row and (difference.mean < 0) == lower
