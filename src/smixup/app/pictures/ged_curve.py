"""Normalised edit distance against the ratio lambda (Fig. 4), beside what Theorem 1 says of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from smixup.analysis.interval import Verdict
from smixup.analysis.theorem import TheoremRecord
from smixup.app.pictures import style
from smixup.app.pictures.method_look import look_of

Numbers = NDArray[np.float64]
MIDDLE = (0.1, 0.9)
PALE = 0.22
TICKS = (0, 0.25, 0.5, 0.75, 1)
WIDTH, HEIGHT, LEGEND = 2.35, 2.25, 0.9


def draw_ged(records: Sequence[TheoremRecord]) -> Figure:
    """Draw a panel for every matcher and cost: epsilon, the diagonal, and the range that Theorem 1
    allows.
    """
    matchers = list(dict.fromkeys(record.matcher for record in records))
    costs = list(dict.fromkeys(record.costs for record in records))
    with style.styled():
        figure = style.new_figure(WIDTH * len(matchers) + 0.5, HEIGHT * len(costs) + LEGEND)
        panels = figure.subplots(len(costs), len(matchers), sharex=True, sharey=True, squeeze=False)
        for row, cost in enumerate(costs):
            for column, matcher in enumerate(matchers):
                kind = matcher, cost
                chosen = [each for each in records if (each.matcher, each.costs) == kind]
                drawn = _draw_panel(panels[row, column], chosen)
            panels[row, 0].set_ylabel(f"{cost}\nnormalised distance ε")
        for column, matcher in enumerate(matchers):
            panels[0, column].set_title(matcher)
            panels[-1, column].set_xlabel("ratio λ")
        legend = figure.legend(handles=drawn, loc="outside lower center", ncols=2)
        for handle in legend.legend_handles[:2] if len(matchers) > 1 else ():
            assert isinstance(handle, Line2D | Patch)  # mean and band have their matcher's colour
            handle.set(color=style.INK, alpha=PALE if isinstance(handle, Patch) else 1)
    return figure


def by_ratio(records: Sequence[TheoremRecord]) -> dict[float, list[TheoremRecord]]:
    """Return the records of every ratio, from the smallest up; mixes without an epsilon are left
    out.
    """
    groups: dict[float, list[TheoremRecord]] = {}
    for record in sorted(records, key=lambda record: record.error.lam):
        if not np.isnan(record.error.epsilon):
            groups.setdefault(record.error.lam, []).append(record)
    return groups


def _draw_panel(axes: Axes, records: Sequence[TheoremRecord]) -> list[Artist]:
    """Draw what was measured beside what Theorem 1 says; return what a legend tells apart."""
    groups, colour = by_ratio(records), look_of(records[0].matcher).colour
    errors = [[record.error for record in group] for group in groups.values()]
    lams, epsilon = np.array(list(groups)), [[each.epsilon for each in row] for row in errors]
    bound = np.array([np.mean([each.bound.upper for each in row]) for row in errors])
    allowed = _draw_theorem(axes, lams, bound)
    low, high = np.transpose([np.quantile(row, MIDDLE) for row in epsilon])
    band = axes.fill_between(lams, low, high, color=colour, alpha=PALE, linewidth=0, zorder=3)
    (mean,) = axes.plot(
        lams, [np.mean(row) for row in epsilon], "o-", color=colour, markersize=3, linewidth=1.5
    )
    mean.set(zorder=4, label="ε, mean over the pairs")
    band.set(label="middle 80 % of the pairs")
    broken = 100 * np.mean([each.printed is Verdict.FAILS for row in errors for each in row])
    words = f"{broken:.0f} % break\nthe bound"
    axes.text(0.97, 0.04, words, transform=axes.transAxes, ha="right", va="bottom")
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xticks=TICKS, yticks=TICKS, aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    return [mean, band, *allowed]


def _draw_theorem(axes: Axes, lams: Numbers, bound: Numbers) -> list[Artist]:
    """Draw a perfect mix, and the range around it in which Theorem 1 puts epsilon, on average."""
    colour = style.PALETTE[3]
    for limits in (lams - bound, lams + bound):
        (limit,) = axes.plot(lams, limits, ":", color=colour, linewidth=1.3, zorder=2)
    (diagonal,) = axes.plot([0, 1], [0, 1], "--", color=style.INK, linewidth=1.0, zorder=2)
    limit.set(label="λ ± bound of Theorem 1, mean")
    diagonal.set(label="ε = λ, a perfect mix")
    return [diagonal, limit]
