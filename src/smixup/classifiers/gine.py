"""Graph isomorphism network with features of edges (Hu et al. 2020)."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from smixup.classifiers.edge_classifier import EdgeClassifier
from smixup.classifiers.edge_messages import EdgeMessages
from smixup.classifiers.node_norm import NodeNorm
from smixup.ranges import Dropout, Natural, Range, Width, in_range


class GINE(EdgeClassifier):
    """GINE: `h_i <- MLP((1 + eps) h_i + sum_j w_ij relu(h_j + E e_ij))`, a two-layer MLP, learnable
    `eps`, in every layer an E of its own.

    Features of nodes are mapped to H channels first. Both maps are linear, without a bias: for
    one-hot columns they are the sums of embeddings of OGB's encoders. With edges of weight one a
    layer is PyG's `GINEConv`. For weights of zero and below, and for mixes, see `EdgeMessages`.

    Example::

        model = GINE(graphs.num_features, graphs.num_classes, graphs.num_edge_features)
        logits = model(graphs[[0, 1, 2]])

    Note:
        Batch norm is on by default, and stands where it stands in `GIN`: before each ReLU.
    """

    batch_norm = True
    plain = "gin"

    @in_range
    def __init__(
        self,
        num_features: Natural,
        num_classes: Width,
        num_edge_features: Natural = 0,
        hidden_channels: Width = 32,
        num_layers: Annotated[int, Range(0, limit=1000)] = 4,
        dropout: Dropout = 0.0,
        batch_norm: bool | None = None,
    ) -> None:
        super().__init__(
            *(hidden_channels, num_classes, num_edge_features, hidden_channels),
            *(num_layers, dropout, batch_norm),
        )
        self.encoder = nn.Linear(num_features, hidden_channels, bias=False)

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GINELayer(self.num_edge_features, out_channels, batch_norm)

    def encoded(self, x: Tensor) -> Tensor:
        h: Tensor = self.encoder(x)
        return h


class GINELayer(nn.Module):
    """One isomorphism layer; before a batch norm there is no bias, as the norm subtracts it
    again.
    """

    def __init__(self, num_edge_features: int, channels: int, batch_norm: bool) -> None:
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(()))
        self.edge_encoder = nn.Linear(num_edge_features, channels, bias=False)
        self.first, self.second = (
            nn.Linear(channels, channels, bias=not batch_norm) for _ in range(2)
        )
        self.inner_norm, self.outer_norm = (
            NodeNorm(channels) if batch_norm else nn.Identity() for _ in range(2)
        )

    def forward(self, h: Tensor, edges: EdgeMessages) -> Tensor:
        """Return the next representations `[n, H]`."""
        h = torch.addcmul(edges.sums(h, self.edge_encoder.weight), h, 1 + self.eps)
        h = self.inner_norm(self.first(h)).relu_()
        out: Tensor = self.outer_norm(self.second(h)).relu_()
        return out
