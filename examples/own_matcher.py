"""A matcher of your own: nodes are matched by their degrees, without learning anything."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch

from smixup.analysis.matcher_quality import evaluate_matcher
from smixup.augment import SMixup
from smixup.datasets import load_dataset
from smixup.graphs import Graphs, Operator
from smixup.matching import Matcher, Uniform
from smixup.matching.pairs import Pairs


@dataclass
class ByDegree(Matcher):
    """Spreads every node of G2 over the nodes of G1 of similar degree; columns sum to one, as in
    Eq. (8).
    """

    temperature: float = 0.5

    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        """Return the assignments of all pairs."""
        pairs, blocks = Pairs.of(left, right), []
        for block in pairs.blocks():  # `b` pairs of similar size, padded
            degree1, degree2 = block.A1.sum(2), block.A2.sum(2)
            scores = -(degree1.unsqueeze(2) - degree2.unsqueeze(1)).abs() / self.temperature
            M = scores.masked_fill(~block.mask1.unsqueeze(2), -torch.inf).softmax(1)
            blocks.append(M * block.mask)
        return pairs.operator(blocks)


def main() -> None:
    """Measure the matcher beside a uniform one, and mix a batch with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=200)
    arguments = parser.parse_args()
    graphs = load_dataset("MOTIF", num_graphs=arguments.graphs).graphs
    for matcher in (ByDegree(), Uniform()):
        quality = evaluate_matcher(matcher, graphs, num_pairs=200)
        found = f"motif mass {quality.motif_mass:.2f}, perplexity {quality.perplexity:.1f}"
        print(f"{matcher}: {found}")  # noqa: T201
    mix = SMixup(ByDegree(), partners=None)
    mix.fit(graphs)
    mixed = mix.on_batch(graphs[torch.arange(8)])
    print(f"{len(mixed)} graphs to train on, targets {mixed.y.sum(1).tolist()}")  # noqa: T201


if __name__ == "__main__":
    main()
