"""Data of your own: a list of PyG `Data` to a test score under S-Mixup."""

from __future__ import annotations

import argparse

import networkx as nx
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from smixup.augment import SMixup
from smixup.classifiers import GIN
from smixup.datasets.features import encode_features
from smixup.datasets.splits import random_split
from smixup.graphs.pyg import from_pyg
from smixup.matching import GraphMatcher
from smixup.training import Splits, TrainSettings, fit


def graphs(number: int) -> list[Data]:
    """Return random graphs of two kinds, small worlds and scale-free ones, without node
    features.
    """
    data = []
    for place in range(number):
        n, label = 12 + place % 9, place % 2
        made = (
            nx.watts_strogatz_graph(n, 4, 0.2, place)
            if label
            else nx.barabasi_albert_graph(n, 2, place)
        )
        data.append(
            Data(edge_index=from_networkx(made).edge_index, y=torch.tensor([label]), num_nodes=n)
        )
    return data


def main() -> None:
    """Split, encode, train, test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=25, help="of the matcher")
    arguments = parser.parse_args()

    all_graphs = from_pyg(graphs(arguments.graphs))
    split = random_split(len(all_graphs), seed=0)
    encoded = encode_features(
        all_graphs, split.train
    )  # no features: one-hot degrees, known from the training split
    parts = Splits(*(encoded[index] for index in (split.train, split.validation, split.test)))
    torch.manual_seed(0)
    model = GIN(encoded.num_features, encoded.num_classes)
    method = SMixup(GraphMatcher(max_steps=arguments.steps))
    result = fit(
        model, parts, method, TrainSettings(arguments.epochs, learning_rate=0.01, batch_size=32)
    )
    print(f"test accuracy {result.history.at_best('test'):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
