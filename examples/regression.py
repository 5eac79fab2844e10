"""Regression: a float `y [B]` is mixed as it is, keeps its shape, and goes into the usual loss."""

from __future__ import annotations

import argparse

import networkx as nx
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_mean_pool
from torch_geometric.transforms import OneHotDegree
from torch_geometric.utils import from_networkx

from smixup import Augmentation, GraphMatcher, SMixup

MAX_DEGREE = 16


class Model(nn.Module):
    """PyG's GCN with batch norm, and one value per graph."""

    def __init__(self, num_features: int, hidden_channels: int = 32) -> None:
        super().__init__()
        self.nodes = GCN(num_features, hidden_channels, num_layers=3, norm="batch")
        self.head = nn.Linear(hidden_channels, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return values `[B]`."""
        h = self.nodes(batch.x, batch.edge_index, batch.edge_weight)
        value: Tensor = self.head(global_mean_pool(h, batch.batch))
        return value.squeeze(1)


def graphs(number: int, seed: int) -> list[Data]:
    """Return random graphs, with degrees as features; `y` is their efficiency, the average of one
    by the distance of two nodes.
    """
    encode, data = OneHotDegree(MAX_DEGREE, cat=False), []
    for place in range(number):
        n = 10 + place % 11
        made = nx.gnm_random_graph(n, n + place % n, seed=seed * number + place)
        edge_index, y = from_networkx(made).edge_index, torch.tensor([nx.global_efficiency(made)])
        data.append(encode(Data(edge_index=edge_index, y=y, num_nodes=n)))
    return data


def train(mix: Augmentation, data: list[Data], epochs: int, seed: int) -> Model:
    """Train a model; its first weights and the order of batches depend on the seed alone."""
    mix.fit(data)
    torch.manual_seed(seed)
    model = Model(MAX_DEGREE + 1)
    loader = DataLoader(data, 32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with mix.training(model):
        for _ in range(epochs):
            for batch in loader:
                batch = mix(batch)  # y is [B'], the values of mixes between those of their graphs
                optimizer.zero_grad()
                F.mse_loss(model(batch), batch.y).backward()
                optimizer.step()
            schedule.step()
    return model


def main() -> None:
    """Train without and with mixing, and test on fresh graphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seed = arguments.seed
    data, tests = graphs(arguments.graphs, seed), graphs(1000, seed + 1_000_000)
    test = next(iter(DataLoader(tests, len(tests))))
    matcher = GraphMatcher(max_steps=arguments.steps, triplets=False)  # there are no classes
    mix = SMixup(matcher, seed=seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        model = train(method, data, arguments.epochs, seed).eval()
        print(f"{name} test MAE {F.l1_loss(model(test), test.y):.4f}")


if __name__ == "__main__":
    main()
