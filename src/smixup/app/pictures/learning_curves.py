"""Curves over the epochs for several methods (Fig. 3): the mean over seeds, and a band around
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    PercentFormatter,
)
from numpy.typing import NDArray

from smixup.app.pictures import style
from smixup.app.pictures.method_look import looks_of
from smixup.errors import UsageError

BAND = 0.18
TICKS = (1.0, 2.0, 5.0)
MANY_DECADES = 3


@dataclass(frozen=True)
class Series:
    """The runs of one method.

    Attributes:
        name: any name of the method; the legend shows what it is called.
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


def draw_curve(
    series: Sequence[Series], curve: str, title: str, scale: str = "linear", shares: bool = False
) -> Figure:
    """Draw one curve of all methods; the band reaches from the lowest run to the highest.

    Args:
        series: one per method.
        curve: which, a name of `RunResult.curves`.
        title: above the picture.
        scale: of the vertical axis, `linear` or `log`; a loss may jump by orders of magnitude for
            an epoch.
        shares: whether the numbers are shares, to be written in percent, as tables do.
    """
    with style.styled():
        figure = style.new_figure(4.2, 3.4)
        axes = figure.subplots()
        draw_series(axes, series, curve, title, scale)
        if shares:
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw_series(
    axes: Axes, series: Sequence[Series], curve: str, title: str, scale: str = "linear"
) -> None:
    """Draw mean and band of every method; see `draw_curve`."""
    looks = looks_of(each.name for each in series)
    for each in series:
        values = each.values(curve)
        epochs, reach = np.arange(1, values.shape[1] + 1), (values.min(0), values.max(0))
        look = looks[each.name]
        axes.fill_between(epochs, *reach, color=look.colour, alpha=BAND, linewidth=0)
        (line,) = axes.plot(epochs, values.mean(0), look.dash, color=look.colour, linewidth=1.5)
        line.set_label(look.name)
    axes.set(title=title, yscale=scale, xlabel="epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], nbins=6))
    plain_ticks(axes)
    axes.grid(axis="y", color=style.INK, alpha=0.2, linewidth=0.6)


def plain_ticks(axes: Axes) -> None:
    """Write 0.5 and 20 along a logarithmic axis, not powers of ten."""
    if axes.get_yscale() != "log":
        return
    low, high = axes.get_ylim()
    few = high / low > 10**MANY_DECADES
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if few else TICKS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
