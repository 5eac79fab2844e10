"""S-Mixup in an ordinary PyG training loop: your DataLoader, your model, three more lines."""

from __future__ import annotations

import argparse
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool
from torch_geometric.transforms import OneHotDegree

from smixup import Augmentation, GraphMatcher, SMixup, load_dataset, to_pyg

MAX_DEGREE = 24


class Model(nn.Module):
    """Three graph convolutions that use the weights of the edges, which mixed graphs need."""

    def __init__(self, num_features: int, num_classes: int, hidden_channels: int = 32) -> None:
        super().__init__()
        widths = [num_features] + [hidden_channels] * 3
        self.layers = nn.ModuleList(GCNConv(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden_channels) for _ in self.layers)
        self.head = nn.Linear(hidden_channels, num_classes)

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None, batch: Tensor
    ) -> Tensor:
        """Return logits `[B, C]`."""
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = norm(layer(x, edge_index, edge_weight)).relu()
        logits: Tensor = self.head(global_mean_pool(x, batch))
        return logits


def graphs(number: int, seed: int) -> list[Data]:
    """Return MOTIF as PyG's `Data`, with degrees as features and integer labels; yours come from
    anywhere.
    """
    encode = OneHotDegree(MAX_DEGREE, cat=False)
    motif = load_dataset("MOTIF", num_graphs=number, seed=seed).graphs
    data = [encode(each) for each in to_pyg(motif).to_data_list()]
    for each in data:
        each.y = each.y.argmax(1)
    return data


def train(mix: Augmentation, data: list[Data], epochs: int, seed: int) -> Model:
    """Train a model; its first weights and the order of batches depend on the seed alone."""
    mix.fit(data)
    torch.manual_seed(seed)
    model = Model(num_features=MAX_DEGREE + 1, num_classes=3)
    loader = DataLoader(data, 32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with mix.training(model):  # batch norms take their statistics from the originals alone
        for _ in range(epochs):
            for batch in loader:
                batch = mix(batch)  # originals, then mixes; y is soft, [B', C]
                logits = model(batch.x, batch.edge_index, batch.edge_weight, batch.batch)
                optimizer.zero_grad()
                F.cross_entropy(logits, batch.y).backward()
                optimizer.step()
            schedule.step()
    return model


@torch.no_grad()
def accuracy(model: Model, data: list[Data]) -> float:
    """Return the share of graphs that are classified rightly."""
    model.eval()
    batch = next(iter(DataLoader(data, len(data))))
    found = model(batch.x, batch.edge_index, None, batch.batch).argmax(1)
    return float((found == batch.y).float().mean())


def main() -> None:
    """Train without and with mixing, and test on fresh graphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seed = arguments.seed
    data, test = graphs(arguments.graphs, seed), graphs(1000, seed + 1_000_000)
    mix = SMixup(GraphMatcher(max_steps=arguments.steps), seed=seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        model = train(method, data, arguments.epochs, seed)
        print(f"{name} test accuracy {accuracy(model, test):.3f}")


if __name__ == "__main__":
    main()
