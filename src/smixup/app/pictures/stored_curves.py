"""Learning curves of the runs in a store (Fig. 3), a panel for every condition and backbone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from matplotlib.figure import Figure

from smixup.app.pictures import style
from smixup.app.pictures.learning_curves import Series, draw_series
from smixup.app.tables.result import ResultTable
from smixup.errors import SmixupError, unknown_name
from smixup.training.history import CURVES

Curves = Mapping[str, dict[str, list[float]]]
COLUMNS, MOST_IN_A_ROW = 3, 5
WIDTH, HEIGHT, LEGEND = 3.6, 2.9, 0.5


def curves_of(table: ResultTable, backbone: str, column: str, curves: Curves) -> list[Series]:
    """Return the curves of the chosen runs of every row, without rows that were not run."""
    series = []
    for row in table.rows:
        runs = table.cell(backbone, row, column).runs.values()
        series.append(Series(row, [curves[run.id] for run in runs if run.id in curves]))
    return [each for each in series if each.curves]


def panels(table: ResultTable, curves: Curves) -> Iterator[tuple[str, list[Series]]]:
    """Yield title and curves of every condition and backbone that was run."""
    for backbone in table.backbones:
        for column in table.columns(backbone):
            series = curves_of(table, backbone, column, curves)
            if series:
                yield f"{column}, {backbone.upper()}", series


def draw_stored_curves(
    table: ResultTable, curves: Curves, curve: str, scale: str = "log"
) -> Figure:
    """Draw one curve of all methods, a panel for every condition and backbone, one legend for all.

    Args:
        table: which runs were chosen.
        curves: of the runs, by identity.
        curve: a name of `CURVES`.
        scale: of the vertical axes, `log` or `linear`.
    """
    if curve not in CURVES:
        raise unknown_name("curve", curve, CURVES)
    found = list(panels(table, curves))
    if not found:
        raise SmixupError(
            f"nothing of {table.name} was run yet: `smixup sweep run {table.name}` does."
        )
    across = min(COLUMNS, len(found))
    down = math.ceil(len(found) / across)
    with style.styled():
        figure = style.new_figure(WIDTH * across, HEIGHT * down + LEGEND)
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for place, (title, series) in zip(axes, found, strict=False):
            draw_series(place, series, curve, title, scale)
            place.set_ylabel(curve.replace("_", " "))
        for empty in axes[len(found) :]:
            empty.set_visible(False)
        lines = {line.get_label(): line for each in axes for line in each.get_lines()}
        ncols = min(len(lines), 2 * across, MOST_IN_A_ROW)
        figure.legend(handles=[*lines.values()], loc="outside lower center", ncols=ncols)
    return figure
