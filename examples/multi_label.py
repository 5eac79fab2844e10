"""Many labels per graph, some of them unknown: float `y [B, T]` of 0, 1 and NaN, as in OGB's
`molpcba`. What is unknown of a graph is unknown of its mixes, and the loss leaves it out.
"""

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
MOTIFS = (nx.cycle_graph(5), nx.house_graph(), nx.complete_graph(4))


class Model(nn.Module):
    """PyG's GCN with batch norm, and one logit per label."""

    def __init__(self, num_features: int, num_labels: int, hidden_channels: int = 32) -> None:
        super().__init__()
        self.nodes = GCN(num_features, hidden_channels, num_layers=3, norm="batch")
        self.head = nn.Linear(hidden_channels, num_labels)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, T]`."""
        h = self.nodes(batch.x, batch.edge_index, batch.edge_weight)
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits


def graphs(number: int, unknown: float = 0.0) -> list[Data]:
    """Return trees with some of the motifs hung on them; `y [1, T]` says with which, as far as it
    is known.
    """
    encode, data = OneHotDegree(MAX_DEGREE, cat=False), []
    for _ in range(number):
        made = nx.random_labeled_tree(10, seed=int(torch.randint(2**31, ())))
        y = torch.randint(2, (1, len(MOTIFS))).float()
        for motif in (motif for motif, there in zip(MOTIFS, y[0], strict=True) if there):
            place, size = int(torch.randint(10, ())), len(made)
            made = nx.disjoint_union(made, motif)
            made.add_edge(place, size)
        y[torch.rand(y.shape) < unknown] = torch.nan
        edge_index = from_networkx(made).edge_index
        data.append(encode(Data(edge_index=edge_index, y=y, num_nodes=len(made))))
    return data


def train(mix: Augmentation, data: list[Data], epochs: int, seed: int) -> Model:
    """Train a model; its first weights and the order of batches depend on the seed alone."""
    mix.fit(data)
    torch.manual_seed(seed)
    model = Model(MAX_DEGREE + 1, len(MOTIFS))
    loader = DataLoader(data, 32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with mix.training(model):
        for _ in range(epochs):
            for batch in loader:
                batch = mix(batch)  # y is [B', T] as before, shares and NaN
                logits, known = model(batch), ~batch.y.isnan()
                optimizer.zero_grad()
                F.binary_cross_entropy_with_logits(logits[known], batch.y[known]).backward()
                optimizer.step()
            schedule.step()
    return model


def main() -> None:
    """Train without and with mixing, and test on fresh graphs, of which all labels are known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    data = graphs(arguments.graphs, unknown=0.2)
    test = next(iter(DataLoader(graphs(1000), 1000)))
    matcher = GraphMatcher(max_steps=arguments.steps, triplets=False)  # there are no classes
    mix = SMixup(matcher, seed=arguments.seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        model = train(method, data, arguments.epochs, arguments.seed).eval()
        right = (model(test) > 0) == (test.y > 0)
        print(f"{name} test accuracy {right.float().mean():.3f}")


if __name__ == "__main__":
    main()
