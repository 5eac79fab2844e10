"""A backbone of your own: say how one layer is built, and along which operator messages run."""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn

from smixup import Augmentation, GraphMatcher, SMixup, load_dataset
from smixup.classifiers import Classifier
from smixup.datasets.features import encode_features
from smixup.graphs import SparseOperator
from smixup.training import Splits, TrainSettings, fit


class MeanLayer(nn.Module):
    """`H <- ReLU(BN(W1 H + W2 D^-1 A H))`, the mean over weighted neighbours (GraphSAGE)."""

    def __init__(self, in_channels: int, out_channels: int, batch_norm: bool) -> None:
        super().__init__()
        self.own = nn.Linear(in_channels, out_channels)
        self.others = nn.Linear(in_channels, out_channels, bias=False)
        self.norm = nn.BatchNorm1d(out_channels) if batch_norm else nn.Identity()

    def forward(self, h: Tensor, operator: SparseOperator) -> Tensor:
        """Return the next representations `[n, out]`."""
        total, weight = operator @ h, operator.row_sums().clamp(min=1e-6)
        out: Tensor = self.norm(self.own(h) + self.others(total / weight.unsqueeze(1))).relu()
        return out


class SAGE(Classifier):
    """The smallest backbone: one method. It runs on original and on mixed graphs alike."""

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        """Build one layer."""
        return MeanLayer(in_channels, out_channels, batch_norm)


def splits(num_train: int, seed: int) -> Splits:
    """Return MOTIF, with degrees as features; only the first graphs are to train on."""
    sizes = (num_train, 200, 500)
    graphs = load_dataset("MOTIF", num_graphs=sum(sizes), features="degree", seed=seed).graphs
    train, validation, test = torch.arange(len(graphs)).split(sizes)
    graphs = encode_features(graphs, train)
    return Splits(graphs[train], graphs[validation], graphs[test])


def main() -> None:
    """Train it without and with mixing, and test it at the epoch that validation chooses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    data = splits(arguments.graphs, arguments.seed)
    settings = TrainSettings(
        arguments.epochs, learning_rate=0.01, batch_size=32, seed=arguments.seed
    )
    mix = SMixup(GraphMatcher(max_steps=arguments.steps), seed=arguments.seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        torch.manual_seed(arguments.seed)
        model = SAGE(data.train.num_features, data.train.num_classes, batch_norm=True)
        result = fit(model, data, method, settings)
        print(f"{name} test accuracy {result.history.test:.3f}")


if __name__ == "__main__":
    main()
