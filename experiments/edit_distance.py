"""Theorem 1 put to the test on pairs of small graphs, whose edit distances are exact (Sec. 6.4 and
Fig. 4): `python -m experiments.edit_distance --help`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from experiments.matchers import named_matcher
from experiments.theorem import PairDistances, epsilon
from smixup.app.runs.data import open_dataset
from smixup.augment.mixing import transform
from smixup.edits.problem import AS_PRINTED, METRIC, EditCosts, EditProblem, WeightedGraph
from smixup.edits.search import edit_distance
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.progress import silent
from smixup.seeding import generator

COSTS = {"squared node costs": AS_PRINTED, "metric node costs": METRIC}
RATIOS = tuple(round(0.1 * step, 1) for step in range(11))
MATCHERS = {"S-Mixup": "graph-matcher", "random alignment": "random-order", "uniform": "uniform"}
MOST_NODES, DUST = 9, 1e-3  # distances are exact so far; lighter edges of A2' are left out


@dataclass(frozen=True)
class Mix:
    """One mixed graph under one matcher and one cost."""

    matcher: str
    costs: str
    lam: float
    epsilon: float
    pair: PairDistances

    @property
    def holds(self) -> dict[str, bool]:
        """Which statements of Theorem 1 hold."""
        return self.pair.holds(self.lam, self.epsilon)


def measured(
    graphs: Graphs,
    matchers: Mapping[str, Matcher],
    pairs: int = 20,
    ratios: Sequence[float] = RATIOS,
    seed: int = 0,
) -> list[Mix]:
    """Mix pairs of different classes under every fitted matcher; measure them under every cost."""
    return [
        Mix(name, title, lam, value, pair)
        for i, j in draw_pairs(graphs, pairs, seed)
        for name, matcher in matchers.items()
        for title, costs in COSTS.items()
        for pair, lam, value in mixed(matcher, graphs[[i]], graphs[[j]], costs, ratios)
    ]


def mixed(
    matcher: Matcher, first: Graphs, second: Graphs, costs: EditCosts, ratios: Sequence[float]
) -> Iterator[tuple[PairDistances, float, float]]:
    """Yield the distances of a pair, lambda and epsilon."""
    parts = first, second, transform(matcher(first, second), first, second)
    left, right, aligned = (WeightedGraph.from_batch(part) for part in parts)
    aligned = aligned.without_dust(DUST)
    problem = EditProblem.of(left, aligned, costs)
    ends = (left, right), (left, aligned), (aligned, right)
    distances = [edit_distance(*pair, costs).upper for pair in ends]
    pair = PairDistances(*distances, problem.cost(problem.order_of(range(len(left)))))
    for lam in ratios:
        mix = left.mixed_with(aligned, lam)
        to_left, to_right = (edit_distance(mix, end, costs).upper for end in (left, right))
        yield pair, lam, epsilon(to_left, to_right)


def draw_pairs(graphs: Graphs, number: int, seed: int) -> list[tuple[int, int]]:
    """Draw pairs of small graphs of different classes."""
    small = (graphs.sizes <= MOST_NODES).nonzero().flatten()
    labels, random = graphs.labels[small], generator(seed, "pairs for edit distances")
    if labels.unique().numel() < 2:
        raise UsageError(f"graphs of two classes with up to {MOST_NODES} nodes are needed.")
    firsts = torch.randint(len(small), (number,), generator=random).tolist()
    others = [small[labels != labels[first]] for first in firsts]
    seconds = (int(each[torch.randint(len(each), (), generator=random)]) for each in others)
    return [(int(small[i]), j) for i, j in zip(firsts, seconds, strict=True)]


def study(dataset: str = "MOTIF", pairs: int = 20, seed: int = 0) -> list[Mix]:
    """Measure held-out pairs under S-Mixup's matcher and two controls."""
    opened = open_dataset(dataset, seed)
    matchers = {title: named_matcher(name, seed) for title, name in MATCHERS.items()}
    fitted = {title: each.fit(opened.train, silent) for title, each in matchers.items()}
    return measured(opened.held_out, fitted, pairs, seed=seed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often the statements of Theorem 1 hold, and the mean error of epsilon."""
    parser = ArgumentParser(prog="python -m experiments.edit_distance", description=__doc__)
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    mixes = study(chosen.data, chosen.pairs, chosen.seed)
    for kind in dict.fromkeys((mix.matcher, mix.costs) for mix in mixes):
        group = [mix for mix in mixes if (mix.matcher, mix.costs) == kind]
        holds = [mix.holds for mix in group]
        shares = (f"{name} in {np.mean([each[name] for each in holds]):.0%}" for name in holds[0])
        error = np.nanmean([abs(mix.epsilon - mix.lam) for mix in group])
        print(f"{', '.join(kind)}: mean |ε - λ| {error:.3f}; holds as {', '.join(shares)}")


if __name__ == "__main__":
    main()
