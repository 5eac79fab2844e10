"""A backbone of your own: say how one layer is built, and along which operator messages run."""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn

from smixup.augment import SMixup
from smixup.classifiers import Classifier
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.datasets.splits import random_split
from smixup.graphs import Operator
from smixup.matching import RandomOrder
from smixup.training import Splits, TrainSettings, fit


class MeanLayer(nn.Module):
    """`H <- ReLU(BN(W1 H + W2 D^-1 A H))`, the mean over weighted neighbours (GraphSAGE)."""

    def __init__(self, in_channels: int, out_channels: int, batch_norm: bool) -> None:
        super().__init__()
        self.own = nn.Linear(in_channels, out_channels)
        self.others = nn.Linear(in_channels, out_channels, bias=False)
        self.norm = nn.BatchNorm1d(out_channels) if batch_norm else nn.Identity()

    def forward(self, h: Tensor, operator: Operator) -> Tensor:
        """Return the next representations `[n, out]`."""
        total, weight = operator @ h, operator.row_sums().clamp(min=1e-6)
        out: Tensor = self.norm(self.own(h) + self.others(total / weight.unsqueeze(1))).relu()
        return out


class SAGE(Classifier):
    """The smallest backbone: one method. It runs on original and on mixed graphs alike."""

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        """Build one layer."""
        return MeanLayer(in_channels, out_channels, batch_norm)


def main() -> None:
    """Train it on MOTIF with degrees as features."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=30)
    arguments = parser.parse_args()
    graphs = load_dataset("MOTIF", num_graphs=arguments.graphs, features="degree").graphs
    split = random_split(len(graphs), seed=0)
    graphs = encode_features(graphs, split.train)
    parts = Splits(*(graphs[index] for index in (split.train, split.validation, split.test)))
    torch.manual_seed(0)
    model = SAGE(graphs.num_features, graphs.num_classes, batch_norm=True)
    settings = TrainSettings(arguments.epochs, learning_rate=0.01, batch_size=32)
    result = fit(model, parts, SMixup(RandomOrder()), settings)
    print(f"test accuracy {result.history.at_best('test'):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
