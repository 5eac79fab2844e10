"""Normalised edit distance against the ratio lambda (Fig. 4), beside what Theorem 1 says of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from smixup.analysis.interval import Verdict
from smixup.analysis.theorem import TheoremRecord
from smixup.lab.figures import style

MIDDLE = (0.1, 0.9)
TICKS = (0, 0.25, 0.5, 0.75, 1)
WIDTH, HEIGHT, LEGEND = 2.35, 2.25, 0.9


def draw_ged(records: Sequence[TheoremRecord]) -> Figure:
    """Draw a panel for every matcher and cost: epsilon, the diagonal, and the range that Theorem 1
    allows.
    """
    matchers, costs = (
        list(dict.fromkeys(getattr(record, name) for record in records))
        for name in ("matcher", "costs")
    )
    with style.styled():
        figure = style.new_figure(WIDTH * len(matchers) + 0.5, HEIGHT * len(costs) + LEGEND)
        panels = figure.subplots(len(costs), len(matchers), sharex=True, sharey=True, squeeze=False)
        for row, cost in enumerate(costs):
            for column, matcher in enumerate(matchers):
                chosen = [
                    record
                    for record in records
                    if (record.matcher, record.costs) == (matcher, cost)
                ]
                _draw_panel(panels[row, column], chosen)
            panels[row, 0].set_ylabel(f"{cost}\nnormalised distance ε")
        for column, matcher in enumerate(matchers):
            panels[0, column].set_title(matcher)
            panels[-1, column].set_xlabel("ratio λ")
        figure.legend(handles=_kinds(), loc="outside lower center", ncols=2)
    return figure


def by_ratio(records: Sequence[TheoremRecord]) -> dict[float, list[TheoremRecord]]:
    """Return the records of every ratio, from the smallest up; mixes without an epsilon are left
    out.
    """
    ratios = sorted({record.error.lam for record in records})
    defined = [record for record in records if not np.isnan(record.error.epsilon)]
    return {lam: [record for record in defined if record.error.lam == lam] for lam in ratios}


def _draw_panel(axes: Axes, records: Sequence[TheoremRecord]) -> None:
    groups = {lam: group for lam, group in by_ratio(records).items() if group}
    lams = np.array(list(groups))
    epsilon = np.array(
        [_mean_and_band([record.error.epsilon for record in group]) for group in groups.values()]
    )
    bound = np.array(
        [np.mean([record.error.bound.upper for record in group]) for group in groups.values()]
    )
    _draw_allowed(axes, lams, bound)
    axes.plot([0, 1], [0, 1], color=style.INK, linestyle="--", linewidth=1.0, zorder=2)
    colour = style.PALETTE[2]
    low, mean, high = epsilon.T
    axes.fill_between(lams, low, high, color=colour, alpha=0.22, linewidth=0, zorder=3)
    axes.plot(lams, mean, color=colour, marker="o", markersize=3, linewidth=1.5, zorder=4)
    broken = np.mean(
        [record.error.printed is Verdict.FAILS for group in groups.values() for record in group]
    )
    axes.text(
        0.97,
        0.04,
        f"{100 * broken:.0f} % break\nthe bound",
        transform=axes.transAxes,
        ha="right",
        va="bottom",
    )
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xticks=TICKS, yticks=TICKS)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_aspect("equal")


def _draw_allowed(axes: Axes, lams: NDArray[np.float64], bound: NDArray[np.float64]) -> None:
    """Draw the range around the diagonal in which Theorem 1 puts epsilon, on average."""
    for limit in (lams - bound, lams + bound):
        axes.plot(lams, limit, color=style.PALETTE[3], linestyle=":", linewidth=1.3, zorder=2)


def _mean_and_band(values: Sequence[float]) -> tuple[float, float, float]:
    low, high = np.quantile(values, MIDDLE)
    return float(low), float(np.mean(values)), float(high)


def _kinds() -> list[Line2D | Patch]:
    colour = style.PALETTE[2]
    return [
        Line2D([], [], color=colour, marker="o", markersize=3, label="ε, mean over the pairs"),
        Patch(color=colour, alpha=0.22, linewidth=0, label="middle 80 % of the pairs"),
        Line2D(
            [], [], color=style.INK, linestyle="--", linewidth=1.0, label="ε = λ, a perfect mix"
        ),
        Line2D([], [], color=style.PALETTE[3], linestyle=":", label="λ ± bound of Theorem 1, mean"),
    ]
