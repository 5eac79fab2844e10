"""Methods in pictures: one name and one colour for each, and differences of paired runs as dots.

Colours stand out by 3 : 1 at least on a light and on a dark ground.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from textwrap import fill

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from smixup.app.pictures import style

SPREAD, FEW, LONGEST_LINE = 0.26, 5, 24


NAMES = {
    "vanilla": "Vanilla",
    "s-mixup": "S-Mixup",
    "graph-matcher": "S-Mixup",
    "random-alignment": "random alignment",
    "random-order": "random alignment",
    "as-published": "the paper's soft alignment",
    "uniform": "uniform",
    "identity": "no alignment",
    "label-smoothing": "label smoothing",
    "drop-edge": "DropEdge",
    "drop-node": "DropNode",
    "subgraph": "Subgraph",
    "m-mixup": "M-Mixup",
    "submix": "SubMix",
    "g-mixup": "G-Mixup",
    "if-mixup": "ifMixup",
    "graph-transplant": "Graph Transplant",
    "fgw-mixup": "FGWMixup",
    "geomix": "GeoMix",
    "ged-mixup": "GED-Mixup",
    "r-mixup": "R-Mixup",
    "s-cut": "S-Cut",
}
"""What methods are called, by what is typed for them; a new one gets a line here."""
COLOURS = {
    "Vanilla": "#7f858e",
    "S-Mixup": "#0a9a70",
    "random alignment": "#8f6fd0",
    "the paper's soft alignment": "#2079b8",
}
OTHERS = ("#d55e00", "#d1495b", "#928600", "#b25ccf", "#5f8a3a", "#c2572f", "#2a8f9d", "#a0683a")
_BY_LOWER = NAMES | {name.lower(): name for name in NAMES.values()}


def title_of(name: str) -> str:
    """Return what a method is called."""
    return _BY_LOWER.get(name.lower(), name)


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Return the colours of methods that are drawn together, by their titles."""
    free = cycle(OTHERS)
    return {title: COLOURS.get(title) or next(free) for title in map(title_of, names)}


def named_in(sentence: str) -> str:
    """Write what methods are called in place of what is typed for them."""
    typed = "|".join(sorted(NAMES, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])({typed})(?![\w-])", lambda name: title_of(name[0]), sentence)


@dataclass(frozen=True)
class DotRow:
    """One method: a difference per paired run, their mean, and bounds of the true difference."""

    name: str
    differences: Sequence[float]
    mean: float
    low: float = -math.inf
    high: float = math.inf


def draw_dots(
    rows: Sequence[DotRow], title: str, margin: float, higher_is_better: bool = True
) -> Figure:
    """Draw a row per method around zero; a band of the margin holds what does not matter."""
    colours = colours_of(row.name for row in rows)
    names = [
        f"{fill(title_of(row.name), LONGEST_LINE)}\nn = {len(row.differences)}" for row in rows
    ]
    with style.styled():
        figure = style.new_figure(4.2, 1.2 + (0.55 if len(rows) <= FEW else 0.4) * len(rows))
        axes = figure.subplots()
        axes.axvspan(-margin, margin, color=style.INK, alpha=0.1, linewidth=0)
        axes.axvline(0, color=style.INK, linewidth=1)
        for place, row in enumerate(rows):  # dots above each other in the order of the runs
            colour, number = colours[title_of(row.name)], len(row.differences)
            heights = place + np.linspace(-SPREAD, SPREAD, number) if number > 1 else [place]
            dots = axes.scatter(row.differences, heights, s=16.0, color=colour, linewidths=0)
            dots.set(alpha=0.75, zorder=2.5)
            if math.isfinite(row.low) and math.isfinite(row.high):
                axes.plot([row.low, row.high], [place, place], color=colour, linewidth=3)
            mean = axes.scatter([row.mean], [place], s=46.0, marker="D", color=colour)
            mean.set(edgecolor=style.HOLLOW, zorder=3)
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        figure.suptitle(title, fontsize=style.FONT_SIZE + 1)  # names may take half of the width
        side = "better →" if higher_is_better else "← better"
        axes.set_xlabel(side, loc="right" if higher_is_better else "left")
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.grid(axis="x", color=style.INK, alpha=0.2, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return figure
