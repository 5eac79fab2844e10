"""What a method gains against the number of labels: one panel per dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from smixup.app.evidence.estimate import Estimate
from smixup.app.pictures import style
from smixup.app.pictures.method_look import looks_of, title_of

COLUMNS = 3
WIDTH, HEIGHT = 2.6, 2.1
ASIDE = 0.035  # how far series stand apart, as a share of the number of labels
DASHES = ("-", "--", ":")
MARKS = ("o", "s", "^")


@dataclass(frozen=True)
class Gain:
    """One series: the gain of a method by number of labels.

    Attributes:
        method: has a colour of its own.
        backbone: has a line of its own.
        by_labels: the gain with its interval.
    """

    method: str
    backbone: str
    by_labels: Mapping[int, Estimate]

    @property
    def name(self) -> str:
        """In the legend."""
        return f"{title_of(self.method)}, {self.backbone}"


def draw_gains(panels: Mapping[str, Sequence[Gain]], unit: str = "points") -> Figure:
    """Draw gains with their 95 % intervals; the line at zero is no gain.

    Args:
        panels: by dataset, the series in it.
        unit: of the vertical axis.
    """
    rows = max(-(-len(panels) // COLUMNS), 1)
    everything = [each for series in panels.values() for each in series]
    methods = list(dict.fromkeys(each.method for each in everything))
    backbones = list(dict.fromkeys(each.backbone for each in everything))
    with style.styled():
        figure = style.new_figure(COLUMNS * WIDTH, rows * HEIGHT + 0.5)
        grid = np.atleast_1d(figure.subplots(rows, COLUMNS)).ravel()
        legend = dict[str, Artist]()
        for axes, (dataset, series) in zip(grid, panels.items(), strict=False):
            _draw_panel(axes, dataset, series, methods, backbones)
            marks, names = axes.get_legend_handles_labels()
            legend |= dict(zip(names, marks, strict=True))
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.supxlabel("graphs to train on", color=style.INK, fontsize=style.FONT_SIZE)
        figure.supylabel(unit, color=style.INK, fontsize=style.FONT_SIZE)
        figure.legend(
            legend.values(),
            legend.keys(),
            loc="outside upper center",
            ncols=len(methods) * len(backbones),
        )
    return figure


def _draw_panel(
    axes: Axes,
    dataset: str,
    series: Sequence[Gain],
    methods: Sequence[str],
    backbones: Sequence[str],
) -> None:
    axes.axhline(0, color=style.INK, linewidth=0.8)
    looks = looks_of(methods)
    places = [(method, backbone) for backbone in backbones for method in methods]
    for each in series:
        shift = 1 + ASIDE * (2 * places.index((each.method, each.backbone)) - len(places) + 1)
        _draw_gain(axes, each, looks[each.method].colour, backbones.index(each.backbone), shift)
    numbers = sorted({number for each in series for number in each.by_labels})
    axes.set(title=dataset, xscale="log")
    axes.set_xticks(numbers, [str(number) for number in numbers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y", color=style.INK, alpha=0.2, linewidth=0.6)


def _draw_gain(axes: Axes, gain: Gain, colour: str, backbone: int, shift: float) -> None:
    labels = sorted(gain.by_labels)
    found = [gain.by_labels[number] for number in labels]
    reach = [[each.mean - each.low for each in found], [each.high - each.mean for each in found]]
    axes.errorbar(
        [number * shift for number in labels],
        [each.mean for each in found],
        yerr=np.nan_to_num(reach, posinf=0.0),
        color=colour,
        linestyle=DASHES[backbone % len(DASHES)],
        marker=MARKS[backbone % len(MARKS)],
        markersize=4,
        linewidth=1.2,
        elinewidth=1.0,
        label=gain.name,
    )
