"""Curves over the epochs for several methods (Fig. 3): the mean over seeds, and a band around
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from smixup.errors import UsageError
from smixup.lab.figures import style

BAND = 0.18
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Series:
    """The runs of one method.

    Attributes:
        name: shown in the legend.
        curves: for every run, one list of numbers per name, as in `RunResult.curves`.
    """

    name: str
    curves: Sequence[dict[str, list[float]]]

    def values(self, curve: str) -> NDArray[np.float64]:
        """Return one curve of all runs, `[runs, epochs]`.

        An epoch without a number (nan: it was not tested) has the last one before it, which is that
        of the best model so far.
        """
        runs = [each[curve] for each in self.curves]
        if len({len(run) for run in runs}) != 1:
            raise UsageError(
                f"the runs of {self.name} must have one length, not "
                f"{sorted({len(run) for run in runs})}."
            )
        return carried_on(np.array(runs, dtype=np.float64))


def carried_on(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return curves `[runs, epochs]` in which each nan is the last number before it."""
    known = np.where(np.isnan(values), 0, np.arange(values.shape[1]))
    return np.take_along_axis(values, np.maximum.accumulate(known, axis=1), axis=1)


def draw_curve(series: Sequence[Series], curve: str, title: str, scale: str = "linear") -> Figure:
    """Draw one curve of all methods; the band reaches from the lowest run to the highest.

    Args:
        series: one per method.
        curve: which, a name of `RunResult.curves`.
        title: above the picture.
        scale: of the vertical axis, `linear` or `log`; a loss may jump by orders of magnitude for
            an epoch.
    """
    with style.styled():
        figure = style.new_figure(4.2, 3.4)
        draw_series(figure.subplots(), series, curve, title, scale)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw_series(
    axes: Axes, series: Sequence[Series], curve: str, title: str, scale: str = "linear"
) -> None:
    """Draw mean and band of every method; see `draw_curve`."""
    for place, each in enumerate(series):
        values = each.values(curve)
        epochs, reach = np.arange(1, values.shape[1] + 1), (values.min(0), values.max(0))
        colour, dash = style.PALETTE[place % len(style.PALETTE)], DASHES[place % len(DASHES)]
        axes.fill_between(epochs, *reach, color=colour, alpha=BAND, linewidth=0)
        axes.plot(epochs, values.mean(0), dash, color=colour, linewidth=1.5, label=each.name)
    axes.set(title=title, yscale=scale, xlabel="epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", color=style.INK, alpha=0.2, linewidth=0.6)
