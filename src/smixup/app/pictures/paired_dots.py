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

SPREAD = 0.26
FEW = 5
LONGEST_LINE = 24


@dataclass(frozen=True)
class DotRow:
    """One method.

    Attributes:
        name: what it is called stands on the left.
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
    looks = looks_of(row.name for row in rows)
    names = [fill(looks[row.name].name, LONGEST_LINE) for row in rows]
    with style.styled():
        figure = style.new_figure(4.2, 1.2 + (0.55 if len(rows) <= FEW else 0.4) * len(rows))
        axes = figure.subplots()
        axes.axvspan(-margin, margin, color=style.INK, alpha=0.1, linewidth=0)
        axes.axvline(0, color=style.INK, linewidth=1)
        for place, row in enumerate(rows):
            _draw_row(axes, row, place, looks[row.name].colour)
        numbers = [f"n = {len(row.differences)}" for row in rows]
        axes.set_yticks(range(len(rows)), list(map("\n".join, zip(names, numbers, strict=True))))
        axes.set_ylim(len(rows) - 0.4, -0.6)
        figure.suptitle(title, fontsize=style.FONT_SIZE + 1)  # names may take half of the width
        if higher_is_better:
            axes.set_xlabel("better →", loc="right")
        else:
            axes.set_xlabel("← better", loc="left")
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.grid(axis="x", color=style.INK, alpha=0.2, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return figure


def _draw_row(axes: Axes, row: DotRow, place: int, colour: str) -> None:
    """Draw dots above each other in the order of the runs, the bounds through their middle."""
    number = len(row.differences)
    heights = place + np.linspace(-SPREAD, SPREAD, number) if number > 1 else [place]
    dots = axes.scatter(row.differences, heights, s=16.0, color=colour, linewidths=0)
    dots.set(alpha=0.75, zorder=2.5)
    if math.isfinite(row.low) and math.isfinite(row.high):
        axes.plot([row.low, row.high], [place, place], color=colour, linewidth=3)
    mean = axes.scatter([row.mean], [place], s=46.0, marker="D", color=colour)
    mean.set(edgecolor=style.HOLLOW, zorder=3)
