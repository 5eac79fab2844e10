"""Theorem 1 (Sec. 5.2) put to the test on pairs of small graphs, whose edit distances a search from
30 starts finds (Sec. 6.4 and Fig. 4): `python -m experiments.edit_distance --help`.

With b, c and e the edit distances of G1 and G2', of G2 and G2', and of G1 and G2, and D the cost of
turning G1 into G2' node by node, the paper says `|epsilon - lam| <= (1 - lam) c / (b + c)`. For
costs that are norms it is true that

    (1 - lam) (1 - D / e) <= epsilon - lam <= (lam (D - b) + (1 - lam) c) / (b + c),

where the left side is never below `-lam`, and the right side never above `1 - lam`.
"""

from __future__ import annotations

import math
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import torch

from experiments.matchers import named_matcher
from smixup.app.runs.data import open_dataset
from smixup.augment.edit_search import EditProblem, WeightedGraph, shortest_path
from smixup.augment.mixing import transform
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.progress import silent
from smixup.seeding import generator

COSTS = {"squared node costs": 2.0, "metric node costs": 1.0}  # exponents, see EditProblem.of
RATIOS = tuple(round(0.1 * step, 1) for step in range(11))
MATCHERS = {"S-Mixup": "graph-matcher", "random alignment": "random-order", "uniform": "uniform"}
TOLERANCE = 1e-5
MOST_NODES, DUST = 9, 1e-3  # found for sure, or nearly so; lighter edges of A2' are left out


@dataclass(frozen=True)
class PairDistances:
    """What Theorem 1 needs to know of a pair, whatever the ratio: e, b, c and D."""

    between: float
    to_aligned: float
    moved: float
    identity: float

    def printed_bound(self, lam: float) -> float:
        """Return the right-hand side of Theorem 1; zero where G1, G2 and G2' are one graph."""
        return (1 - lam) * self.moved / self._whole if self._whole > 0 else 0.0

    def least(self, lam: float) -> float:
        """Return the least that `epsilon - lam` can be."""
        far = self.between > 0
        return max(-lam, (1 - lam) * (1 - self.identity / self.between)) if far else -lam

    def most(self, lam: float) -> float:
        """Return the most that `epsilon - lam` can be."""
        excess = lam * (self.identity - self.to_aligned) + (1 - lam) * self.moved
        return min(1 - lam, excess / self._whole) if self._whole > 0 else 1 - lam

    def holds(self, lam: float, epsilon: float) -> dict[str, bool]:
        """Tell which statements hold; of the printed one, the proof argues for the upper side."""
        off, bound = epsilon - lam, self.printed_bound(lam) + TOLERANCE
        corrected = self.least(lam) - TOLERANCE <= off <= self.most(lam) + TOLERANCE
        return {"printed": abs(off) <= bound, "one-sided": off <= bound, "corrected": corrected}

    @property
    def _whole(self) -> float:
        return self.to_aligned + self.moved


def epsilon(to_left: float, to_right: float) -> float:
    """Return `d(G', G2) / (d(G', G1) + d(G', G2))`, of a perfect mix lambda; NaN for `0 / 0`."""
    return to_right / (to_left + to_right) if to_left + to_right > 0 else math.nan


class Mix(NamedTuple):
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
) -> Iterator[Mix]:
    """Mix pairs of different classes under every fitted matcher; measure them under every cost."""
    for (i, j), (name, matcher) in product(draw_pairs(graphs, pairs, seed), matchers.items()):
        first, second = graphs[[i]], graphs[[j]]
        moved = transform(matcher(first, second), first, second)
        left, right, aligned = map(weighted_graph, (first, second, moved))
        aligned = WeightedGraph(np.where(aligned.adj < DUST, 0.0, aligned.adj), aligned.x)
        for title, exponent in COSTS.items():
            distance = partial(edit_distance, exponent=exponent)
            problem = EditProblem.of(left, aligned, exponent)
            ends = distance(left, right), distance(left, aligned), distance(aligned, right)
            pair = PairDistances(*ends, problem.cost(np.arange(problem.size)))
            for lam in ratios:
                mix = mixture(left, aligned, lam)
                value = epsilon(distance(mix, left), distance(mix, right))
                yield Mix(name, title, lam, value, pair)


def weighted_graph(graph: Graphs) -> WeightedGraph:
    """Return one graph as it is compared: edges undirected, weights by their size."""
    adj = graph.adj.to_dense().abs().double().cpu().numpy()
    return WeightedGraph((adj + adj.T) / 2, graph.x.double().cpu().numpy())


def edit_distance(left: WeightedGraph, right: WeightedGraph, exponent: float) -> float:
    """Return the least cost of an edit path that was found."""
    problem = EditProblem.of(left, right, exponent)
    return problem.cost(shortest_path(problem))


def mixture(left: WeightedGraph, right: WeightedGraph, lam: float) -> WeightedGraph:
    """Return `lam` of one graph and `1 - lam` of another on the same nodes, Eq. (5)."""
    adj, x = (lam * a + (1 - lam) * b for a, b in ((left.adj, right.adj), (left.x, right.x)))
    return WeightedGraph(adj, x)


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often the statements of Theorem 1 hold, and the mean error of epsilon."""
    parser = ArgumentParser(prog="python -m experiments.edit_distance", description=__doc__)
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    opened = open_dataset(chosen.data, chosen.seed)
    fitted = {
        title: named_matcher(name, chosen.seed).fit(opened.train, silent)
        for title, name in MATCHERS.items()
    }
    mixes = list(measured(opened.held_out, fitted, chosen.pairs, seed=chosen.seed))
    for kind in dict.fromkeys((mix.matcher, mix.costs) for mix in mixes):
        group = [mix for mix in mixes if (mix.matcher, mix.costs) == kind]
        holds = [mix.holds for mix in group]
        shares = (f"{name} in {np.mean([each[name] for each in holds]):.0%}" for name in holds[0])
        error = np.nanmean([abs(mix.epsilon - mix.lam) for mix in group])
        print(f"{', '.join(kind)}: mean |ε - λ| {error:.3f}; holds as {', '.join(shares)}")


if __name__ == "__main__":
    main()
