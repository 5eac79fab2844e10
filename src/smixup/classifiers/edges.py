"""Backbones that take features of edges, and the messages they send:
`sum_j w_ij relu(h_j + E e_ij)`, as in OGB's baselines and PyG's `GINEConv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from smixup.classifiers.base import Classifier, NodeNorm
from smixup.classifiers.gcn import Normalised
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets
from smixup.settings import Count, Dropout, Natural, require_ranges


@dataclass(frozen=True)
class EdgeMessages:
    """The edges of a batch, along which every layer sends messages.

    Attributes:
        adj: one entry for every edge, `adj[i, j]` from j to i.
        features: `e`, of every entry `[m, k]`. Of a mix they are averages over the edges that an
            edge comes from, by their shares of its weight.
        own: what a node itself counts, `[n, 1]`; None where it is no neighbour of itself.

    Note:
        An edge of weight zero sends nothing. A negative weight turns the sign of the message, not
        of the features: in a mix they enter by the sizes of the weights.
    """

    adj: SparseOperator
    features: Tensor
    own: Tensor | None = None

    def sums(self, h: Tensor, encoder: Tensor) -> Tensor:
        """Return the sums of messages `[n, H]`; the encoder `[H, k]` is E."""
        sums: Tensor = _MessageSum.apply(h, encoder, self)
        return sums

    @cached_property
    def by_source(self) -> tuple[Tensor, Tensor]:
        """The entries in the order of their columns `[m]`, and where each column begins."""
        counts = torch.bincount(self.adj.column, minlength=self.adj.num_columns)
        return self.adj.column.argsort(stable=True), offsets(counts)

    @cached_property
    def weighted_features(self) -> Tensor:
        """`w_ij e_ij` of every entry `[m, k]`."""
        return self.adj.weight.unsqueeze(1) * self.features


class _MessageSum(torch.autograd.Function):
    """One tensor as large as edges times channels lives between the passes, the messages: making
    them anew in the backward pass took twice the time.
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, encoder: Tensor, edges: EdgeMessages) -> Tensor:
        messages = h.index_select(0, edges.adj.column)
        messages.addmm_(edges.features.to(h.dtype), encoder.T.to(h.dtype)).relu_()
        ctx.save_for_backward(messages)
        ctx.edges, ctx.encoder_dtype = edges, encoder.dtype
        every = torch.arange(len(messages), device=messages.device)
        return _sums(messages, every, edges.adj.row_ptr, edges.adj.weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        edges, (messages,) = ctx.edges, ctx.saved_tensors
        back = gradients[0].index_select(0, edges.adj.row)
        torch.ops.aten.threshold_backward.grad_input(back, messages, 0, grad_input=back)
        order, begins = edges.by_source
        of_nodes = _sums(back, order, begins, edges.adj.weight.index_select(0, order))
        of_encoder = (edges.weighted_features.to(back.dtype).T @ back).T
        return of_nodes, of_encoder.to(ctx.encoder_dtype), None


def _sums(rows: Tensor, order: Tensor, begins: Tensor, weight: Tensor) -> Tensor:
    """Return weighted sums of `rows [m, H]` in the given order, from each beginning to the next."""
    if order.numel() == 0:
        return rows.new_zeros(begins.numel() - 1, rows.size(1))
    weight = weight.to(rows.dtype)
    return F.embedding_bag(
        order, rows, begins, mode="sum", per_sample_weights=weight, include_last_offset=True
    )


class EdgeClassifier(Classifier):
    """A message-passing network that takes features of edges, `edge_attr` of PyG; its layers are
    called as `layer(h, edges)` with the `EdgeMessages` of the batch.

    Args:
        num_edge_features: width of the features of edges, k, one at least. The others are those of
            `Classifier`.
    """

    plain: ClassVar[str]
    """The backbone of the same kind that needs no features of edges."""
    encodes_nodes: ClassVar[bool] = False
    """Whether features of nodes are mapped to H channels before the first layer."""

    def __init__(
        self,
        num_features: Natural,
        num_classes: Count,
        num_edge_features: Natural = 0,
        hidden_channels: Count = 32,
        num_layers: Natural = 4,
        dropout: Dropout = 0.0,
        batch_norm: bool | None = None,
    ) -> None:
        require_ranges(EdgeClassifier, locals())
        if num_edge_features == 0:
            raise SmixupError(
                f"{type(self).__name__} takes features of edges (edge_attr), and these graphs have "
                f"none: use the backbone {self.plain}."
            )
        self.num_edge_features = num_edge_features  # before the layers are made
        width = hidden_channels if self.encodes_nodes else num_features
        super().__init__(width, num_classes, hidden_channels, num_layers, dropout, batch_norm)
        if self.encodes_nodes:
            self.encoder = nn.Linear(num_features, hidden_channels, bias=False)

    def edges(self, batch: Graphs) -> EdgeMessages:
        """Return the edges of a batch; refuse one without features, or with others than these."""
        if (width := batch.num_edge_features) != self.num_edge_features:
            raise SmixupError(
                f"the edges of these graphs have {width} features (edge_attr), and "
                f"{type(self).__name__} was made for {self.num_edge_features}: encode them as "
                "those it was trained on."
            )
        return EdgeMessages(*batch.edge_features())

    def nodes(self, batch: Graphs) -> Tensor:
        """Return node representations `H^(L) [n, H]`."""
        h, edges = batch.floating().x, self.edges(batch)
        h = self.encoder(h) if self.encodes_nodes else h
        for layer in self.layers:
            h = layer(h, edges)
        return h


class GINE(EdgeClassifier):
    """GINE (Hu et al. 2020): `h_i <- MLP((1 + eps) h_i + sum_j w_ij relu(h_j + E e_ij))`, a
    two-layer MLP, learnable `eps`, in every layer an E of its own.

    Features of nodes are mapped to H channels first. Both maps are linear, without a bias: for
    one-hot columns they are the sums of embeddings of OGB's encoders. With edges of weight one a
    layer is PyG's `GINEConv`. Batch norm is on by default, and stands where it stands in `GIN`.

    Example::

        model = GINE(graphs.num_features, graphs.num_classes, graphs.num_edge_features)
        logits = model(graphs[[0, 1, 2]])
    """

    batch_norm = True
    plain = "gin"
    encodes_nodes = True

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GINELayer(self.num_edge_features, out_channels, batch_norm)


class GINELayer(nn.Module):
    """One isomorphism layer; before a batch norm, which would subtract it, there is no bias."""

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


class GCNEdge(EdgeClassifier):
    """GCN over edges with features, as OGB's baseline has it: with `h <- H W + b`,

        h_i <- ReLU( sum_j w_ij / sqrt(d_i d_j) relu(h_j + E e_ij) + relu(h_i + r) / d_i ),

    where `d_i = 1 + sum_j |w_ij|`. The second term is the self-loop: it has no features, so that
    its representation r is learnt, one for all nodes. In every layer W, b, E and r are its own.

    E is linear, without a bias: for one-hot columns, OGB's sum of embeddings. With edges of weight
    one, what is in the brackets is OGB's `GCNConv`.
    """

    plain = "gcn"

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GCNEdgeLayer(in_channels, out_channels, self.num_edge_features, batch_norm)

    def edges(self, batch: Graphs) -> EdgeMessages:
        edges = super().edges(batch)
        normal = Normalised.of(edges.adj)
        return EdgeMessages(normal.adj, edges.features, normal.own)


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

    def forward(self, h: Tensor, edges: EdgeMessages) -> Tensor:
        """Return the next representations `[n, out]`."""
        assert edges.own is not None, "they are normalised"
        h = self.linear(h)
        own, total = edges.own.to(h.dtype), edges.sums(h, self.edge_encoder.weight)
        out: Tensor = self.norm(total.addcmul_((h + self.loop).relu_(), own)).relu_()
        return out
