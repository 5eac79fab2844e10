"""Classifiers as PyG's users write them, who know nothing of mixing.

Each has one thing that a mix could do harm to: norms over a batch, layers that take no weights, an
embedding of codes, a pool that chooses nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch
from torch_geometric.nn import (
    GCNConv,
    GINConv,
    GraphConv,
    TopKPooling,
    global_add_pool,
    global_mean_pool,
)

HIDDEN = 32


class BatchNormGCN(nn.Module):
    """Three `GCNConv` that use weights, a batch norm behind each."""

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        widths = [num_features, HIDDEN, HIDDEN]
        self.convs = nn.ModuleList(GCNConv(width, HIDDEN) for width in widths)
        self.norms = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in widths)
        self.head = nn.Linear(HIDDEN, num_classes)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h = batch.x
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = norm(conv(h, batch.edge_index, batch.edge_weight)).relu()
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits


class PlainGIN(nn.Module):
    """Three `GINConv`, which take no weights, with batch norms in their networks."""

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            GINConv(_two_layers(width), train_eps=True) for width in (num_features, HIDDEN, HIDDEN)
        )
        self.head = nn.Linear(HIDDEN, num_classes)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h = batch.x
        for conv in self.convs:
            h = conv(h, batch.edge_index)
        logits: Tensor = self.head(global_add_pool(h, batch.batch))
        return logits


class EmbeddedCodes(nn.Module):
    """An embedding of codes, then three `GraphConv` that use weights."""

    def __init__(self, num_codes: int, num_classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_codes, HIDDEN)
        self.convs = nn.ModuleList(GraphConv(HIDDEN, HIDDEN, aggr="mean") for _ in range(3))
        self.head = nn.Linear(HIDDEN, num_classes)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h = self.embedding(batch.x)
        for conv in self.convs:
            h = conv(h, batch.edge_index, batch.edge_weight).relu()
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits


class TopKPooled(nn.Module):
    """Two `GraphConv` that use weights, each followed by a pool and a batch norm of what it
    keeps.
    """

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        widths = [num_features, HIDDEN]
        self.convs = nn.ModuleList(GraphConv(width, HIDDEN) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(HIDDEN, ratio=0.8) for _ in widths)
        self.norms = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in widths)
        self.head = nn.Linear(2 * HIDDEN, num_classes)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h, edges, weight, of = batch.x, batch.edge_index, batch.edge_weight, batch.batch
        for conv, pool, norm in zip(self.convs, self.pools, self.norms, strict=True):
            h = conv(h, edges, weight).relu()
            h, edges, weight, of, *_ = pool(h, edges, weight, of)
            h = norm(h)
        both = [global_mean_pool(h, of, batch.num_graphs), global_add_pool(h, of, batch.num_graphs)]
        logits: Tensor = self.head(torch.cat(both, dim=1))
        return logits


MODELS: dict[str, Callable[[int, int], nn.Module]] = {
    "batch norm": BatchNormGCN,
    "GINConv": PlainGIN,
    "embedded codes": EmbeddedCodes,
    "TopK pooling": TopKPooled,
}


def _two_layers(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, HIDDEN),
        nn.BatchNorm1d(HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.BatchNorm1d(HIDDEN),
        nn.ReLU(),
    )
