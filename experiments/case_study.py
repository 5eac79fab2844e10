"""Is the motif still there when two graphs of a class are mixed (Sec. 5.1 and 6.4, Fig. 2)?
`python -m experiments.case_study --help`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from experiments.harm import interval
from experiments.matchers import PAPER, named_matcher
from smixup.app.runs.data import open_dataset
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.matching.lessons import TripletSampler
from smixup.matching.quality import motif_kept
from smixup.progress import silent
from smixup.seeding import generator

MATCHERS = ("random-order", "uniform", PAPER, "graph-matcher")


@dataclass(frozen=True)
class CaseStudy:
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the share of the motif that matchers keep."""
    parser = ArgumentParser(prog="python -m experiments.case_study", description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    for name, shares in case_study(chosen.seed, chosen.pairs).shares.items():
        mean, low, high = interval((100 * shares).tolist())
        print(f"{name}: {mean:.1f} % of the motif kept [{low:.1f}, {high:.1f}]")


if __name__ == "__main__":
    main()
