"""A matcher of your own: nodes are matched by their degrees, without learning anything."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch

from smixup import Augmentation, Graphs, Matcher, SMixup, Uniform, load_dataset
from smixup.analysis.matcher_quality import evaluate_matcher
from smixup.classifiers import GIN
from smixup.datasets.features import encode_features
from smixup.graphs import Operator
from smixup.matching.pairs import Pairs
from smixup.training import Splits, TrainSettings, fit


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
        print(f"{matcher}: {found}")

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
