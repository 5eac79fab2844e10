"""Differences of paired runs as dots, with their mean and how far the truth may be from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from smixup.app.pictures import style
from smixup.app.pictures.method_look import looks_of
from smixup.errors import UsageError

DOT, MEAN = 16.0, 46.0
SPREAD = 0.26
BAND = 0.1
WIDTH = 4.2
MANY, ROOMY, DENSE = 5, 0.55, 0.4
"""Up to so many rows have room, in inches; more stand closer."""
LONG = 24
"""Letters of a name that fit on a line."""
INTERVALS, STEPS = 5, (1, 2, 5, 10)
"""Few enough that numbers such as -0.005 do not run into each other."""


@dataclass(frozen=True)
class DotRow:
    """One method.

    Attributes:
        name: any of its names; what it is called stands on the left.
        differences: one per paired run.
        mean: of all graphs that were looked at.
        low, high: bounds of the true difference; infinite where nothing is known.
    """

    name: str
    differences: Sequence[float]
    mean: float
    low: float
    high: float


def draw_dots(
    rows: Sequence[DotRow], title: str, margin: float, higher_is_better: bool = True
) -> Figure:
    """Draw one row per method around a line at zero; the band holds differences that do not matter.

    Args:
        rows: from top to bottom.
        title: what differs, with its unit.
        margin: half of the band.
        higher_is_better: which side is the better one.
    """
    if not rows:
        raise UsageError("a picture of differences needs one method at least.")
    with style.styled():
        figure = style.new_figure(WIDTH, 1.2 + (ROOMY if len(rows) <= MANY else DENSE) * len(rows))
        axes = figure.subplots()
        axes.axvspan(-margin, margin, color=style.INK, alpha=BAND, linewidth=0)
        axes.axvline(0, color=style.INK, linewidth=1)
        looks = looks_of(row.name for row in rows)
        for place, row in enumerate(rows):
            _draw_row(axes, row, place, looks[row.name].colour)
        axes.set_yticks(range(len(rows)), [_label(row, looks[row.name].name) for row in rows])
        axes.set(ylim=(len(rows) - 0.4, -0.6))
        figure.suptitle(title, fontsize=style.FONT_SIZE + 1)  # names may take half of the width
        axes.set_xlabel("better →" if higher_is_better else "← better", loc="right")
        if not higher_is_better:
            axes.set_xlabel("← better", loc="left")
        axes.xaxis.set_major_locator(MaxNLocator(INTERVALS, steps=STEPS))
        axes.grid(axis="x", color=style.INK, alpha=0.2, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return figure


def _label(row: DotRow, name: str) -> str:
    """Return what stands on the left: the name, and the number of dots."""
    return f"{fill(name, LONG)}\nn = {len(row.differences)}"


def _draw_row(axes: Axes, row: DotRow, place: int, colour: str) -> None:
    """Draw dots above each other in the order of the runs, the bounds through their middle."""
    number = len(row.differences)
    heights = place + np.linspace(-SPREAD, SPREAD, number) if number > 1 else [place]
    axes.scatter(
        row.differences, heights, s=DOT, color=colour, alpha=0.75, linewidths=0, zorder=2.5
    )
    if math.isfinite(row.low) and math.isfinite(row.high):
        axes.plot([row.low, row.high], [place, place], color=colour, linewidth=3)
    axes.scatter(
        [row.mean], [place], s=MEAN, marker="D", color=colour, edgecolors=style.HOLLOW, zorder=3
    )
