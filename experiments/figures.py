"""A mixed pair (Fig. 1), and whether a motif is still there when two graphs of a class are mixed
(Sec. 5.1 and 6.4, Fig. 2): `python -m experiments.figures --help`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor

from experiments.judge import by_runs
from experiments.matchers import PAPER, named_matcher
from smixup.app.pictures import style
from smixup.app.pictures.graph import draw_graph, legend_of
from smixup.app.pictures.layouts import pair_layouts
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair
from smixup.app.runs.data import open_dataset
from smixup.augment.mixing import transform
from smixup.files import write_whole
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.matching.controls import motif_kept
from smixup.matching.lessons import TripletSampler
from smixup.progress import silent
from smixup.seeding import generator

COLOURS, MOST_NODES = style.PALETTE[1:], 60
MATCHERS = ("random-order", "uniform", PAPER, "graph-matcher")


def overview(dataset: str = "MOTIF", seed: int = 0) -> MixedPair:
    """Return the pair of two classes, of many, on which the largest share of edges meets."""
    opened = open_dataset(dataset, seed)
    matcher = named_matcher("graph-matcher", seed).fit(opened.train, silent)
    graphs = opened.held_out[(opened.held_out.sizes <= MOST_NODES).nonzero().squeeze(1)]
    left, right = torch.randint(len(graphs), (2, 40), generator=generator(seed, "overview"))
    apart = graphs.labels[left] != graphs.labels[right]
    first, second = graphs[left[apart]], graphs[right[apart]]
    aligned = transform(matcher(first, second), first, second)
    both = ([side[[i]].adj.to_dense() for side in (first, aligned)] for i in range(len(first)))
    shared = [torch.minimum(*A).sum() / torch.maximum(*A).sum() for A in both]
    best = [int(torch.stack(shared).argmax())]
    return MixedPair.of(matcher, first[best], second[best])


class CaseStudy(NamedTuple):
    """Held-out pairs of one class; fitted matchers, and the shares of the motif that they keep."""

    left: Graphs
    right: Graphs
    matchers: Mapping[str, Matcher]
    shares: Mapping[str, Tensor]


def case_study(
    seed: int = 0,
    pairs: int = 200,
    names: Sequence[str] = MATCHERS,
    options: Mapping[str, Any] | None = None,
) -> CaseStudy:
    """Fit matchers on the training split of MOTIF and match pairs of the other splits."""
    opened = open_dataset("MOTIF", seed, options=options)
    sampler, random = TripletSampler.of(opened.held_out.labels), generator(seed, "case study")
    triplets = [sampler.draw(1, random)[:2] for _ in range(pairs)]  # more begin with the same ones
    left, right = (opened.held_out[torch.cat(side)] for side in zip(*triplets, strict=True))
    matchers = {name: named_matcher(name, seed).fit(opened.train, silent) for name in names}
    shares = {name: motif_kept(each(left, right), left, right) for name, each in matchers.items()}
    return CaseStudy(left, right, matchers, shares)


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
        kept = [by_runs((100 * each).tolist()) for each in found.shares.values()]
        means, reach = ([each.mean for each in kept], [each.reach(0.025) for each in kept])
        axes["kept"].barh([*found.shares], means, xerr=reach, color=COLOURS[: len(means)])
        axes["kept"].invert_yaxis()
        axes["kept"].set(xlim=(0, 105), xlabel=f"motif kept, % ({len(found.left)} held-out pairs)")
        figure.legend(handles=legend_of(alignment, True), loc="outside upper center", ncols=4)
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and draw a figure; print the share of the motif that matchers keep."""
    parser = ArgumentParser(prog="python -m experiments.figures", description=__doc__)
    parser.add_argument("figure", choices=("overview", "case-study"))
    parser.add_argument("--out", type=Path, required=True, help="an SVG file")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    if chosen.figure == "overview":
        figure = draw_mixed_pair(overview("MOTIF", chosen.seed))
    else:
        found = case_study(chosen.seed)
        figure = draw_case_study(found)
        for name, shares in found.shares.items():
            kept = by_runs((100 * shares).tolist())
            print(f"{name}: {kept.mean:.1f} % of the motif kept [{kept.low:.1f}, {kept.high:.1f}]")
    write_whole(chosen.out, style.to_svg(figure), "the figure")


if __name__ == "__main__":
    main()
