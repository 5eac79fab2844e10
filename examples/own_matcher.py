"""A matcher of your own: nodes are matched by their degrees, without learning anything."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import torch
from torch import Tensor

from smixup import Augmentation, Graphs, SMixup, Uniform, load_dataset
from smixup.analysis.matcher_quality import evaluate_matcher
from smixup.classifiers import GIN
from smixup.datasets.features import encode_features
from smixup.graphs import Operator
from smixup.matching.normalized import NormalizedMatcher
from smixup.matching.pairs import Pairs
from smixup.training import Splits, TrainSettings, fit


def described(A: Tensor) -> Tensor:
    """Return the degree of every node and the sum of its neighbours' degrees, `[b, N, 2]`."""
    degree = A.sum(2, keepdim=True)
    return torch.cat([degree, A @ degree], 2)


@dataclass
class ByDegree(NormalizedMatcher):
    """Matches nodes of similar degree, with neighbours of similar degree.

    It only scores pairs of nodes; the way from scores to one-to-one alignments is inherited.
    """

    normalization: str = field(default="one-to-one", kw_only=True)

    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        """Return the assignments of all pairs."""
        pairs = Pairs.of(left, right)
        blocks = pairs.blocks()  # `b` pairs of similar size each, padded
        scores = (-torch.cdist(described(block.A1), described(block.A2)) for block in blocks)
        return self.normalized(pairs, scores)


def splits(num_train: int, seed: int) -> Splits:
    """Return MOTIF, with degrees as features; only the first graphs are to train on."""
    sizes = (num_train, 200, 500)
    graphs = load_dataset("MOTIF", num_graphs=sum(sizes), features="degree", seed=seed).graphs
    train, validation, test = torch.arange(len(graphs)).split(sizes)
    graphs = encode_features(graphs, train)
    return Splits(graphs[train], graphs[validation], graphs[test])


def main() -> None:
    """Measure the matcher beside a uniform one, then train without and with mixes along it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    data = splits(arguments.graphs, arguments.seed)
    for matcher in (ByDegree(), Uniform()):
        quality = evaluate_matcher(matcher, data.test, num_pairs=200)
        found = f"motif mass {quality.motif_mass:.2f}, perplexity {quality.perplexity:.1f}"
        print(f"{type(matcher).__name__}: {found}")

    settings = TrainSettings(
        arguments.epochs, learning_rate=0.01, batch_size=32, seed=arguments.seed
    )
    mix = SMixup(ByDegree(), seed=arguments.seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        torch.manual_seed(arguments.seed)
        model = GIN(data.train.num_features, data.train.num_classes)
        result = fit(model, data, method, settings)
        print(f"{name} test accuracy {result.history.at_best('test'):.3f}")


if __name__ == "__main__":
    main()
