"""The paper's figures from measurements: `python -m experiments.figures --help`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.case_study import CaseStudy, case_study
from experiments.edit_distance import Mix, study
from experiments.harm import interval
from experiments.matchers import named_matcher
from experiments.variants import distortion
from smixup.app.pictures import style
from smixup.app.pictures.graph import draw_graph, legend_of
from smixup.app.pictures.layouts import pair_layouts
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair
from smixup.app.runs.config import configure
from smixup.app.runs.data import open_dataset
from smixup.app.runs.run import run
from smixup.files import write_whole
from smixup.progress import silent
from smixup.seeding import generator

COLOURS, MOST_NODES = style.PALETTE[1:], 60
METHODS = ("vanilla", "m-mixup", "submix", "s-mixup")


def overview(dataset: str = "MOTIF", seed: int = 0) -> MixedPair:
    """Return the pair of two classes, of many, that loses least when G2 is carried onto G1."""
    opened = open_dataset(dataset, seed)
    matcher = named_matcher("graph-matcher", seed).fit(opened.train, silent)
    graphs = opened.held_out[(opened.held_out.sizes <= MOST_NODES).nonzero().squeeze(1)]
    left, right = torch.randint(len(graphs), (2, 40), generator=generator(seed, "overview"))
    apart = graphs.labels[left] != graphs.labels[right]
    first, second = graphs[left[apart]], graphs[right[apart]]
    best = [int(distortion(matcher(first, second), first, second).argmin())]
    return MixedPair.of(matcher, first[best], second[best])


def draw_case_study(found: CaseStudy, lam: float = 0.5) -> Figure:
    """Draw the first pair, its mixes along every alignment, and the shares kept (Fig. 2)."""
    left, right = found.left[[0]], found.right[[0]]
    mixes = {name: MixedPair.of(each, left, right, lam) for name, each in found.matchers.items()}
    alignment = [*mixes.values()][-1].alignment
    places1, places2 = pair_layouts(left, right, alignment)
    panels = {"G1": (left, places1), "G2": (right, places2)}
    panels |= {name: (pair.mixed, places1) for name, pair in mixes.items()}
    with style.styled():
        figure = style.new_figure(2.2 * len(panels), 4.6)
        axes = figure.subplot_mosaic([[*panels], ["kept"] * len(panels)], height_ratios=[2, 1])
        for name, (graph, places) in panels.items():
            draw_graph(axes[name], graph.adj.to_dense(), places, graph.motif, name)
        means = np.array([interval((100 * each).tolist()) for each in found.shares.values()])
        reach = np.abs(means[:, 1:].T - means[:, 0])
        axes["kept"].barh([*found.shares], means[:, 0], xerr=reach, color=COLOURS[: len(means)])
        axes["kept"].invert_yaxis()
        axes["kept"].set(xlim=(0, 105), xlabel=f"motif kept, % ({len(found.left)} held-out pairs)")
        figure.legend(handles=legend_of(alignment, True), loc="outside upper center", ncols=4)
    return figure


def draw_curves(dataset: str, methods: Sequence[str] = METHODS, seeds: int = 3) -> Figure:
    """Train; draw mean test losses, and bands from the lowest run to the highest (Fig. 3)."""
    with style.styled():
        figure = style.new_figure(4.2, 3.4)
        axes = figure.subplots()
        for colour, name in zip(COLOURS, methods, strict=False):
            runs = (run(configure(dataset, "gcn", name, seed)) for seed in range(seeds))
            losses = np.array([each.curves["test_loss"] for each in runs])
            epochs = np.arange(1, losses.shape[1] + 1)
            axes.fill_between(epochs, losses.min(0), losses.max(0), color=colour, alpha=0.2)
            axes.plot(epochs, losses.mean(0), color=colour, label=name)
        axes.set(title=dataset, xlabel="epoch", ylabel="test loss", yscale="log")
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw_ged(mixes: Sequence[Mix]) -> Figure:
    """Draw epsilon against lambda, the diagonal, and what Theorem 1 allows (Fig. 4)."""
    matchers = list(dict.fromkeys(mix.matcher for mix in mixes))
    costs = list(dict.fromkeys(mix.costs for mix in mixes))
    with style.styled():
        figure = style.new_figure(2.4 * len(matchers) + 0.5, 2.3 * len(costs) + 0.9)
        grid = figure.subplots(len(costs), len(matchers), sharex=True, sharey=True, squeeze=False)
        for (i, cost), (j, matcher) in product(enumerate(costs), enumerate(matchers)):
            chosen = [mix for mix in mixes if (mix.matcher, mix.costs) == (matcher, cost)]
            _draw_epsilon(grid[i, j], chosen, COLOURS[j])
            grid[0, j].set_title(matcher)
            grid[-1, j].set_xlabel("ratio λ")
            grid[i, 0].set_ylabel(f"{cost}\nnormalised distance ε")
        legend = grid[0, 0].get_legend_handles_labels()
        figure.legend(*legend, loc="outside lower center", ncols=2)
    return figure


def _draw_epsilon(axes: Axes, mixes: Sequence[Mix], colour: str) -> None:
    lams = np.array(sorted({mix.lam for mix in mixes}))
    groups = [[mix for mix in mixes if mix.lam == lam] for lam in lams]
    epsilon = [[mix.epsilon for mix in group] for group in groups]
    bound = [np.mean([mix.pair.printed_bound(mix.lam) for mix in group]) for group in groups]
    low, high = np.transpose([np.nanquantile(row, (0.1, 0.9)) for row in epsilon])
    axes.fill_between(lams, low, high, color=colour, alpha=0.22, label="middle 80 % of the pairs")
    axes.plot(lams, [np.nanmean(row) for row in epsilon], "o-", color=colour, label="ε, mean")
    axes.plot([0, 1], [0, 1], "--", color=style.INK, label="ε = λ, a perfect mix")
    axes.plot(lams, lams + bound, ":", color=style.INK, label="λ ± bound of Theorem 1, mean")
    axes.plot(lams, lams - bound, ":", color=style.INK)
    broken = np.mean([not mix.holds["printed"] for mix in mixes])
    axes.text(0.97, 0.04, f"{broken:.0%} break\nthe bound", ha="right", transform=axes.transAxes)
    axes.set(xlim=(0, 1), ylim=(0, 1.02), aspect="equal")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and draw a figure."""
    parser = ArgumentParser(prog="python -m experiments.figures", description=__doc__)
    parser.add_argument("figure", choices=("overview", "case-study", "curves", "ged"))
    parser.add_argument("--out", type=Path, required=True, help="an SVG file")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    figures = {
        "overview": lambda: draw_mixed_pair(overview(chosen.data, chosen.seed)),
        "case-study": lambda: draw_case_study(case_study(chosen.seed)),
        "curves": lambda: draw_curves(chosen.data),
        "ged": lambda: draw_ged(study(chosen.data, seed=chosen.seed)),
    }
    write_whole(chosen.out, style.to_svg(figures[chosen.figure]()), "the figure")


if __name__ == "__main__":
    main()
