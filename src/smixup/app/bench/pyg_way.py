"""Graph classification as PyG's users write it: `DataLoader`, convolutions on `edge_index`,
`global_mean_pool`.

The networks are those of `smixup.classifiers` (App. C), layer by layer; with equal weights they
give equal logits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, GINEConv, global_mean_pool

from smixup.graphs import Graphs


class PlainClassifier(nn.Module, ABC):
    """Convolutions, mean readout, two-layer head."""

    def __init__(
        self, num_features: int, num_classes: int, hidden_channels: int = 32, num_layers: int = 4
    ) -> None:
        super().__init__()
        widths = [num_features] + [hidden_channels] * (num_layers - 1)
        self.convs = nn.ModuleList(self.make_conv(d, hidden_channels) for d in widths)
        self.head = nn.Sequential(
            nn.Linear(hidden_channels, hidden_channels),
            nn.ReLU(),
            nn.Linear(hidden_channels, num_classes),
        )

    @abstractmethod
    def make_conv(self, in_channels: int, out_channels: int) -> nn.Module:
        """Build one convolution, called as `conv(x, edge_index)`."""

    def activate(self, h: Tensor) -> Tensor:
        """Apply what follows a convolution."""
        return h

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h = batch.x
        for conv in self.convs:
            h = self.activate(conv(h, batch.edge_index))
        logits: Tensor = self.head(global_mean_pool(h, batch.batch, batch.num_graphs))
        return logits


class PlainGCN(PlainClassifier):
    """`GCNConv` and ReLU."""

    def make_conv(self, in_channels: int, out_channels: int) -> nn.Module:
        conv: nn.Module = GCNConv(in_channels, out_channels)
        return conv

    def activate(self, h: Tensor) -> Tensor:
        return h.relu()


class PlainGIN(PlainClassifier):
    """`GINConv` with a two-layer MLP, batch norm before each ReLU, and a learnable eps."""

    def make_conv(self, in_channels: int, out_channels: int) -> nn.Module:
        mlp = nn.Sequential(
            nn.Linear(in_channels, out_channels, bias=False),
            nn.BatchNorm1d(out_channels),
            nn.ReLU(),
            nn.Linear(out_channels, out_channels, bias=False),
            nn.BatchNorm1d(out_channels),
            nn.ReLU(),
        )
        conv: nn.Module = GINConv(mlp, train_eps=True)
        return conv


class PlainGINE(PlainGIN):
    """`GINEConv` with the same MLP, behind a linear map of the nodes' features."""

    def __init__(
        self,
        num_features: int,
        num_classes: int,
        num_edge_features: int,
        hidden_channels: int = 32,
        num_layers: int = 4,
    ) -> None:
        self.num_edge_features = num_edge_features
        super().__init__(hidden_channels, num_classes, hidden_channels, num_layers)
        self.encoder = nn.Linear(num_features, hidden_channels, bias=False)

    def make_conv(self, in_channels: int, out_channels: int) -> nn.Module:
        mlp = super().make_conv(in_channels, out_channels).nn
        conv: nn.Module = GINEConv(mlp, train_eps=True, edge_dim=self.num_edge_features)
        return conv

    def forward(self, batch: Batch) -> Tensor:
        h = self.encoder(batch.x)
        for conv in self.convs:
            h = conv(h, batch.edge_index, batch.edge_attr)
        logits: Tensor = self.head(global_mean_pool(h, batch.batch, batch.num_graphs))
        return logits


def data_list(graphs: Graphs) -> list[Data]:
    """Return a set of unweighted graphs as PyG's datasets give it: float `x`, `edge_index`, an
    integer label, and `edge_attr` if edges have features.
    """
    adj = graphs.adj.to_sparse()
    edge_index, _ = adj.edges()
    nodes, edges = graphs.sizes.tolist(), adj.row_ptr[graphs.ptr].diff().tolist()
    parts = zip(
        graphs.x.float().split(nodes),
        edge_index.split(edges, dim=1),
        graphs.ptr.tolist(),
        graphs.labels.split(1),
        strict=False,
    )
    data = [
        Data(x=x.clone(), edge_index=edge_index - first, y=y.clone())
        for x, edge_index, first, y in parts
    ]
    if graphs.num_edge_features:
        for each, features in zip(data, graphs.edge_features()[1].split(edges), strict=True):
            each.edge_attr = features.clone()
    return data
