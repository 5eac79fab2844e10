"""S-Mixup in an ordinary PyG training loop: your DataLoader, your model, one more line."""

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

from smixup import GraphMatcher, SMixup
from smixup.datasets import load_dataset
from smixup.graphs.pyg import to_pyg

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


def graphs(number: int) -> list[Data]:
    """Return MOTIF as PyG's `Data`, with degrees as features and integer labels; yours come from
    anywhere.
    """
    motif = load_dataset("MOTIF", num_graphs=number).graphs
    encode = OneHotDegree(MAX_DEGREE, cat=False)
    data = [encode(each) for each in to_pyg(motif[torch.arange(number)]).to_data_list()]
    for each in data:
        each.y = each.y.argmax(1)
    return data


def main() -> None:
    """Train and test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--steps", type=int, default=25, help="of the matcher")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    data = graphs(arguments.graphs)
    held_out = len(data) // 4
    train, test = data[held_out:], data[:held_out]

    matcher = GraphMatcher(max_steps=arguments.steps).fit(train)
    mix = SMixup(matcher, alpha=0.2)
    model = Model(num_features=MAX_DEGREE + 1, num_classes=3)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with mix.training(model):  # batch norms see originals alone
        for _ in range(arguments.epochs):
            model.train()
            for batch in DataLoader(train, 64, shuffle=True):
                batch = mix(batch)  # a new Batch: x, edge_index, edge_weight, soft y [B, C]
                optimizer.zero_grad()
                logits = model(batch.x, batch.edge_index, batch.edge_weight, batch.batch)
                F.cross_entropy(logits, batch.y).backward()
                optimizer.step()

    model.eval()
    batch = next(iter(DataLoader(test, len(test))))
    with torch.no_grad():
        found = model(batch.x, batch.edge_index, None, batch.batch).argmax(1)
    print(f"test accuracy {(found == batch.y).float().mean():.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
