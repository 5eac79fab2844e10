"""Data of your own: a list of PyG `Data` to a test score, by the training loop of this package."""

from __future__ import annotations

import argparse

import networkx as nx
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from smixup import Augmentation, GraphMatcher, SMixup, from_pyg
from smixup.classifiers import GIN
from smixup.datasets.features import encode_features
from smixup.training import Splits, TrainSettings, fit

VALIDATION, TEST = 200, 500


def graphs(number: int, seed: int) -> list[Data]:
    """Return random graphs of two kinds, small worlds and scale-free ones, without node
    features.
    """
    data = []
    for place in range(number):
        n, label, chance = 12 + place % 9, place % 2, seed * number + place
        made = (
            nx.watts_strogatz_graph(n, 4, 0.9, chance)
            if label
            else nx.barabasi_albert_graph(n, 2, chance)
        )
        edge_index = from_networkx(made).edge_index
        data.append(Data(edge_index=edge_index, y=torch.tensor([label]), num_nodes=n))
    return data


def splits(num_train: int, seed: int) -> Splits:
    """Make graphs for training, validation and test, and encode their features."""
    every = from_pyg(graphs(num_train + VALIDATION + TEST, seed))
    train, validation, test = torch.arange(len(every)).split([num_train, VALIDATION, TEST])
    encoded = encode_features(every, train)  # no features: one-hot degrees, as seen in training
    return Splits(encoded[train], encoded[validation], encoded[test])


def main() -> None:
    """Train without and with mixing, and test at the epoch that validation chooses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=40, help="to train on")
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
        model = GIN(data.train.num_features, data.train.num_classes)
        result = fit(model, data, method, settings)
        print(f"{name} test accuracy {result.history.at_best('test'):.3f}")


if __name__ == "__main__":
    main()
