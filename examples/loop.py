"""S-Mixup in an ordinary PyG training loop, for classes, several labels with gaps, or values."""

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

MAX_DEGREE = 24
MOTIFS = (nx.cycle_graph(5), nx.house_graph(), nx.complete_graph(4))


class Model(nn.Module):
    """PyG's GCN with batch norm; it uses the weights of edges, which mixes need."""

    def __init__(self, outputs: int, hidden_channels: int = 32) -> None:
        super().__init__()
        self.nodes = GCN(MAX_DEGREE + 1, hidden_channels, num_layers=3, norm="batch")
        self.head = nn.Linear(hidden_channels, outputs)

    def forward(self, batch: Batch) -> Tensor:
        """Return outputs `[B, outputs]`."""
        h = self.nodes(batch.x, batch.edge_index, batch.edge_weight)
        output: Tensor = self.head(global_mean_pool(h, batch.batch))
        return output


def graphs(number: int, task: str, seed: int) -> list[Data]:
    """Return trees with motifs hung on them; `y` is the motif, which motifs there are (a tenth of
    it unknown), or how efficient the graph is.
    """
    random, data = torch.Generator().manual_seed(seed), []
    encode = OneHotDegree(MAX_DEGREE, cat=False)
    for place in range(number):
        graph = nx.random_labeled_tree(10, seed=seed * number + place)
        there = torch.rand(3, generator=random) < 0.5
        if task == "classes":
            there = torch.arange(3) == torch.randint(3, (1,), generator=random)
        for motif in (motif for motif, present in zip(MOTIFS, there, strict=True) if present):
            node, first = int(torch.randint(10, (1,), generator=random)), len(graph)
            graph = nx.disjoint_union(graph, motif)
            graph.add_edge(node, first)
        unknown = torch.rand(3, generator=random) < 0.1
        y = {
            "classes": there.long().argmax().view(1),
            "labels": there.float().masked_fill(unknown, torch.nan).view(1, 3),
            "values": torch.tensor([nx.global_efficiency(graph)]),
        }[task]
        edge_index = from_networkx(graph).edge_index
        data.append(encode(Data(edge_index=edge_index, y=y, num_nodes=len(graph))))
    return data


def loss_of(output: Tensor, y: Tensor, task: str) -> Tensor:
    """Return the loss that fits the task; `y` is that of a mixed batch, or as it came."""
    if task == "classes":
        return F.cross_entropy(output, y)
    if task == "values":
        return F.mse_loss(output.squeeze(1), y)
    known = ~y.isnan()
    return F.binary_cross_entropy_with_logits(output[known], y[known])


def train(mix: Augmentation, data: list[Data], task: str, epochs: int, seed: int) -> Model:
    """Train a model; its first weights and the order of batches depend on the seed alone."""
    mix.fit(data)
    torch.manual_seed(seed)
    model = Model(outputs=1 if task == "values" else len(MOTIFS))
    loader = DataLoader(data, 32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with mix.training(model):  # batch norms take their statistics from the originals alone
        for _ in range(epochs):
            for batch in loader:
                batch = mix(batch)  # originals, then mixes; y is soft, in the form that it had
                loss = loss_of(model(batch), batch.y, task)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            schedule.step()
    return model


@torch.no_grad()
def score(model: Model, data: list[Data], task: str) -> float:
    """Return the accuracy, or the mean absolute error of values."""
    model.eval()
    batch = next(iter(DataLoader(data, len(data))))
    output = model(batch)
    if task == "values":
        return float((output.squeeze(1) - batch.y).abs().mean())
    known = ~batch.y.isnan() if task == "labels" else torch.ones_like(batch.y, dtype=torch.bool)
    right = output.argmax(1) == batch.y if task == "classes" else (output > 0) == (batch.y > 0.5)
    return float(right[known].float().mean())


def main() -> None:
    """Train without and with mixing, and test on fresh graphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=("classes", "labels", "values"), default="classes")
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    task, seed = arguments.task, arguments.seed
    data, test = graphs(arguments.graphs, task, seed), graphs(500, task, seed + 1_000_000)
    mix = SMixup(GraphMatcher(max_steps=arguments.steps), seed=seed)
    metric = "MAE" if task == "values" else "accuracy"
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        model = train(method, data, task, arguments.epochs, seed)
        print(f"{name} test {metric} {score(model, test, task):.3f}")


if __name__ == "__main__":
    main()
