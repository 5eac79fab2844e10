"""What the page of a sweep shows first: how methods differ from the reference, in a sentence and as
dots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from matplotlib.figure import Figure

from smixup.app.evidence.estimate import FEWEST
from smixup.app.pictures.method_look import title_of
from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.result import ResultTable

OURS = "S-Mixup"
SCORE = "test"


def answer(table: ResultTable) -> str:
    """Say in how many conditions a method is better or worse than the reference by an interval
    without zero: S-Mixup, or the last row if it is not there.
    """
    row = OURS if OURS in table.rows else table.rows[-1]
    cells = [cell for cell in table.cells if cell.row == row and row != table.reference]
    found = [(cell, table.difference(cell, SCORE)) for cell in cells]
    compared = [(cell, each) for cell, each in found if each is not None]
    if not compared:
        return f"{table.title}: nothing can be compared yet."
    better = sum(
        each.decided and (each.mean < 0) == cell.score(SCORE).lower_is_better
        for cell, each in compared
    )
    decided = sum(each.decided for _, each in compared)
    what = f"{table.title}: {title_of(row)} beside {title_of(table.reference)}"
    if len(compared) == 1:
        if not decided:
            names = f"{title_of(row)} and {title_of(table.reference)}"
            return f"{table.title}: these runs do not decide between {names}."
        return f"{what} is {'better' if better else 'worse'}."
    return (
        f"{what} is better in {better} of {len(compared)} conditions, worse in "
        f"{decided - better}, and not decided in {len(compared) - decided}."
    )


def dot_plots(table: ResultTable) -> Iterator[tuple[str, Figure]]:
    """Yield a name and a picture of every condition in which anything can be compared: a dot per
    paired run.
    """
    for backbone in table.backbones:
        for column in table.columns(backbone):
            cells = [table.cell(backbone, row, column) for row in table.rows]
            reference = table.cell(backbone, table.reference, column)
            rows = [row for cell in cells if (row := _dots(cell, reference)) is not None]
            if rows:
                score = reference.score(SCORE)
                unit = ", points" if score.scale != 1 else ""
                title = f"{column}, {backbone.upper()}: difference of {_short(score.title)}{unit}"
                yield title, draw_dots(rows, title, 0.0, not score.lower_is_better)


def _dots(cell: FilledCell, reference: FilledCell) -> DotRow | None:
    """Return the differences of one method, run by run; None for the reference, and for what was
    not run on its seeds.
    """
    ours, theirs = cell.scores(SCORE), reference.scores(SCORE)
    seeds = sorted(ours.keys() & theirs.keys())
    found = cell.difference(reference, SCORE)
    if cell.row == reference.row or found is None:
        return None
    known = (found.low, found.high) if found.number >= FEWEST else (-math.inf, math.inf)
    return DotRow(cell.row, [ours[seed] - theirs[seed] for seed in seeds], found.mean, *known)


def _short(title: str) -> str:
    """Return the title of a score without its unit."""
    return title.partition(",")[0]
