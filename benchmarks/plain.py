"""The ordinary way: networks as PyG's users write them; matching and mixing pair by pair."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool
from torch_geometric.utils import to_dense_adj

HIDDEN, LAYERS = 32, 4  # of the paper's classifiers (App. C)


class PlainGCN(nn.Module):
    """`GCNConv` and ReLU, mean readout, two-layer head."""

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        widths = [num_features] + [HIDDEN] * (LAYERS - 1)
        self.convs = nn.ModuleList(self.convolution(width) for width in widths)
        parts = nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, num_classes)
        self.head = nn.Sequential(*parts)

    def convolution(self, width: int) -> nn.Module:
        """Return a layer that takes `width` features."""
        return GCNConv(width, HIDDEN)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h, weight = batch.x, [batch.edge_weight] if "edge_weight" in batch else []
        for conv in self.convs:
            h = conv(h, batch.edge_index, *weight).relu()
        return self.head(global_mean_pool(h, batch.batch, batch.num_graphs))


class PlainGIN(PlainGCN):
    """`GINConv` with a two-layer MLP, batch norm before each ReLU, and a learnable eps."""

    def convolution(self, width: int) -> nn.Module:
        first, second = (nn.Linear(size, HIDDEN, bias=False) for size in (width, HIDDEN))
        norms = nn.BatchNorm1d(HIDDEN), nn.BatchNorm1d(HIDDEN)
        return GINConv(nn.Sequential(first, norms[0], nn.ReLU(), second, norms[1]), train_eps=True)


class PlainMatcher(nn.Module):
    """A graph matching network (Sec. 3.2): one pair after the other, with dense tables."""

    def __init__(self, num_features: int, hidden: int = 64, layers: int = 4) -> None:
        super().__init__()
        self.encoder = nn.Linear(num_features + 1, hidden)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.updates = nn.ModuleList(
            nn.Sequential(nn.Linear(3 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            for _ in range(layers)
        )

    def forward(self, left: Data, right: Data) -> tuple[Tensor, Tensor]:
        """Return the representations of the nodes of both graphs, Eq. (6) and (7)."""
        A1, A2 = adjacency(left), adjacency(right)
        h1 = self.encoder(torch.cat([left.x, A1.sum(1, keepdim=True)], 1))
        h2 = self.encoder(torch.cat([right.x, A2.sum(1, keepdim=True)], 1))
        for norm, update in zip(self.norms, self.updates, strict=True):
            z1, z2 = norm(h1), norm(h2)
            similarity = z1 @ z2.T
            across1 = z1 - similarity.softmax(1) @ z2
            across2 = z2 - similarity.T.softmax(1) @ z1
            h1 = h1 + update(torch.cat([z1, A1 @ z1, across1], 1))
            h2 = h2 + update(torch.cat([z2, A2 @ z2, across2], 1))
        return h1, h2

    def distance(self, left: Data, right: Data) -> Tensor:
        """Return the squared distance of two graphs."""
        h1, h2 = self(left, right)
        return (h1.sum(0) - h2.sum(0)).square().mean()

    def step(self, triplets: list[list[Data]]) -> None:
        """Compute the loss of Eq. (9), and its gradient."""
        self.zero_grad()
        for anchor, same, other in triplets:
            loss = self.distance(anchor, same) - self.distance(anchor, other) + 1
            (loss.relu() / len(triplets)).backward()


def adjacency(graph: Data) -> Tensor:
    """Return the adjacency of one graph, `[n, n]`."""
    return to_dense_adj(graph.edge_index, max_num_nodes=graph.num_nodes)[0]


def mix_pair(left: Data, right: Data, M: Tensor, lam: float) -> tuple[Tensor, Tensor]:
    """Return features and adjacency of one mix, Eq. (4) and (5), without loops from G2."""
    A = (M @ adjacency(right) @ M.T).fill_diagonal_(0.0)
    x = lam * left.x + (1 - lam) * M @ right.x
    return x, lam * adjacency(left) + (1 - lam) * A
