"""What a method gains against the number of labels: one panel per dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from smixup.lab.evidence.estimate import Estimate
from smixup.lab.figures import style

COLUMNS = 3
WIDTH, HEIGHT = 2.6, 2.1
ASIDE = 0.04  # how far series stand apart, as a share of the number of labels
COLOURS = ("#0072b2", "#d55e00", "#8c9199", "#e69f00")
MARKS = ("o", "s", "^", "v")


@dataclass(frozen=True)
class Gain:
    """One series: the gain of a method by number of labels."""

    name: str
    by_labels: Mapping[int, Estimate]


def draw_gains(panels: Mapping[str, Sequence[Gain]], unit: str = "points") -> Figure:
    """Draw gains with their 95 % intervals; the line at zero is no gain.

    Args:
        panels: by dataset, the series in it; a name has the same colour everywhere.
        unit: of the vertical axis.
    """
    rows = -(-len(panels) // COLUMNS)
    with style.styled():
        figure = style.new_figure(COLUMNS * WIDTH, rows * HEIGHT + 0.4)
        grid = np.atleast_1d(figure.subplots(rows, COLUMNS, sharex=True)).ravel()
        names = list(dict.fromkeys(each.name for series in panels.values() for each in series))
        for axes, (dataset, series) in zip(grid, panels.items(), strict=False):
            _draw_panel(axes, dataset, series, names)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        for place in range(0, len(panels), COLUMNS):
            grid[place].set_ylabel(unit)
        known = dict[str, Artist]()
        for axes in grid:
            marks, texts = axes.get_legend_handles_labels()
            known |= dict(zip(texts, marks, strict=True))
        figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=2)
    return figure


def _draw_panel(axes: Axes, dataset: str, series: Sequence[Gain], names: Sequence[str]) -> None:
    axes.axhline(0, color=style.INK, linewidth=0.8)
    for each in series:
        place = names.index(each.name)
        shift = 1 + ASIDE * (2 * place - len(names) + 1)
        labels = sorted(each.by_labels)
        found = [each.by_labels[number] for number in labels]
        means = [estimate.mean for estimate in found]
        reach = [[e.mean - e.low for e in found], [e.high - e.mean for e in found]]
        axes.errorbar(
            [number * shift for number in labels],
            means,
            yerr=np.nan_to_num(reach, posinf=0.0),
            color=COLOURS[place % len(COLOURS)],
            marker=MARKS[place % len(MARKS)],
            markersize=4,
            linewidth=1.2,
            elinewidth=1.0,
            label=each.name,
        )
    numbers = sorted({number for each in series for number in each.by_labels})
    axes.set(title=dataset, xscale="log")
    axes.set_xticks(numbers, [str(number) for number in numbers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="y", color=style.INK, alpha=0.2, linewidth=0.6)
