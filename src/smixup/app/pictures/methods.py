"""Methods in pictures: one name and one colour for each, and differences of paired runs as dots.

Colours stand out by 3 : 1 at least on a light and on a dark ground; methods that stand beside each
other most (Vanilla, S-Mixup, its controls) have the colours that differ most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from textwrap import fill
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from smixup.app.pictures import style

SPREAD, FEW, LONGEST_LINE = 0.26, 5, 24


class Look(NamedTuple):
    """How a method is called and drawn."""

    name: str
    colour: str


SMIXUP, RANDOM = Look("S-Mixup", "#0a9a70"), Look("random alignment", "#8f6fd0")
LOOKS = {
    "vanilla": Look("Vanilla", "#7f858e"),
    "s-mixup": SMIXUP,
    "graph-matcher": SMIXUP,
    "random-alignment": RANDOM,
    "random-order": RANDOM,
    "uniform": Look("uniform", "#3a8fc7"),
    "as-published": Look("the paper's soft alignment", "#bd7f00"),
    "identity": Look("no alignment", "#8a7f4f"),
    "label-smoothing": Look("label smoothing", "#5f8a3a"),
    "drop-edge": Look("DropEdge", "#5b6b9e"),
    "drop-node": Look("DropNode", "#2f8fb0"),
    "subgraph": Look("Subgraph", "#4f7fd9"),
    "m-mixup": Look("M-Mixup", "#d1495b"),
    "submix": Look("SubMix", "#8c6239"),
    "g-mixup": Look("G-Mixup", "#928600"),
    "if-mixup": Look("ifMixup", "#b25ccf"),
    "graph-transplant": Look("Graph Transplant", "#c2572f"),
    "fgw-mixup": Look("FGWMixup", "#2079b8"),
    "geomix": Look("GeoMix", "#a0683a"),
    "ged-mixup": Look("GED-Mixup", "#d4577f"),
    "r-mixup": Look("R-Mixup", "#6b8e23"),
    "s-cut": Look("S-Cut", "#23866a"),
}
"""By what is typed for a method; a new one gets a line here."""
SPARE = ("#d55e00", "#2079b8", "#928600", "#b25ccf", "#5f8a3a", "#c2572f", "#2a8f9d", "#a0683a")
_LOOKS = LOOKS | {look.name.lower(): look for look in LOOKS.values()}


def title_of(name: str) -> str:
    """Return what a method is called."""
    return _LOOKS.get(name.lower(), Look(name, "")).name


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return the looks of methods that are drawn together; those that are not listed take colours
    that the others leave.
    """
    known = {name: _LOOKS.get(name.lower()) for name in names}
    taken = {look.colour for look in known.values() if look}
    free = cycle(colour for colour in SPARE if colour not in taken)
    return {name: look or Look(name, next(free)) for name, look in known.items()}


def named_in(sentence: str) -> str:
    """Write what methods are called in place of what is typed for them."""
    typed = "|".join(sorted(LOOKS, key=len, reverse=True))
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
    looks = looks_of(row.name for row in rows)
    titles = [fill(look.name, LONGEST_LINE) for look in looks.values()]
    names = [
        f"{title}\nn = {len(row.differences)}" for title, row in zip(titles, rows, strict=True)
    ]
    with style.styled():
        figure = style.new_figure(4.2, 1.2 + (0.55 if len(rows) <= FEW else 0.4) * len(rows))
        axes = figure.subplots()
        axes.axvspan(-margin, margin, color=style.INK, alpha=0.1, linewidth=0)
        axes.axvline(0, color=style.INK, linewidth=1)
        for place, row in enumerate(rows):  # dots above each other in the order of the runs
            colour, number = looks[row.name].colour, len(row.differences)
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
