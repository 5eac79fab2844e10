"""Graph convolutional network with features of edges, as OGB's baseline has it (Hu et al. 2020)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from smixup.classifiers.edge_classifier import EdgeClassifier
from smixup.classifiers.edge_messages import EdgeMessages
from smixup.classifiers.node_norm import NodeNorm
from smixup.graphs import Graphs


class GCNEdge(EdgeClassifier):
    """GCN over edges with features: with `h <- H W + b`,

        h_i <- ReLU( sum_j w_ij / sqrt(d_i d_j) relu(h_j + E e_ij) + relu(h_i + r) / d_i ),

    where `d_i = 1 + sum_j |w_ij|`. The second term is the self-loop: it has no features, so that
    its representation r is learnt, one for all nodes. In every layer W, b, E and r are its own.

    E is linear, without a bias: for one-hot columns, OGB's sum of embeddings. With edges of weight
    one, what is in the brackets is OGB's `GCNConv`. For weights of zero and below, and for mixes,
    see `EdgeMessages`.

    Example::

        model = GCNEdge(graphs.num_features, graphs.num_classes, graphs.num_edge_features)
        logits = model(graphs[[0, 1, 2]])
    """

    plain = "gcn"

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GCNEdgeLayer(in_channels, out_channels, self.num_edge_features, batch_norm)

    def nodes(self, batch: Graphs) -> Tensor:
        """Return node representations `H^(L) [n, H]`."""
        h, (edges, degree) = batch.floating().x, self.edges(batch).normalised()
        own = degree.reciprocal().unsqueeze(1)
        for layer in self.layers:
            h = layer(h, edges, own)
        return h


class GCNEdgeLayer(nn.Module):
    """One graph convolution."""

    def __init__(
        self, in_channels: int, out_channels: int, num_edge_features: int, batch_norm: bool
    ) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels)
        self.edge_encoder = nn.Linear(num_edge_features, out_channels, bias=False)
        self.loop = nn.Parameter(torch.zeros(out_channels))
        self.norm = NodeNorm(out_channels) if batch_norm else nn.Identity()
        nn.init.xavier_uniform_(self.linear.weight)

    def forward(self, h: Tensor, edges: EdgeMessages, own: Tensor) -> Tensor:
        """Return the next representations `[n, out]`; `own [n, 1]` weighs the self-loops."""
        h = self.linear(h)
        total = edges.sums(h, self.edge_encoder.weight)
        out: Tensor = self.norm(total.addcmul_((h + self.loop).relu_(), own.to(h.dtype))).relu_()
        return out
