"""Backbones that take features of edges, and the messages they send:
`sum_j w_ij relu(h_j + E e_ij)`, as in OGB's baselines and PyG's `GINEConv`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from smixup.classifiers.base import Classifier, NodeNorm
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets
from smixup.ranges import Dropout, Natural, Range, Width, in_range


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

    def normalised(self) -> EdgeMessages:
        """Return the edges with weights `w_ij / sqrt(d_i d_j)`, nodes themselves with `1 / d_i`,
        where `d_i = 1 + sum_j |w_ij|`.
        """
        degree = 1 + replace(self.adj, weight=self.adj.weight.abs()).row_sums()
        adj, own = self.adj.conjugated(degree.rsqrt()), degree.reciprocal().unsqueeze(1)
        return EdgeMessages(adj, self.features, own)

    def sums(self, h: Tensor, encoder: Tensor) -> Tensor:
        """Return the sum of messages at every node `[n, H]`.

        Args:
            h: representations of nodes `[n, H]`.
            encoder: E, from features of edges to their representations, `[H, k]`.
        """
        sums: Tensor = _MessageSum.apply(h, encoder, self)
        return sums

    @cached_property
    def by_source(self) -> tuple[Tensor, Tensor]:
        """The entries in the order of their columns `[m]`, and where each column begins."""
        column = self.adj.column
        counts = torch.bincount(column, minlength=self.adj.num_columns)
        return column.argsort(stable=True), offsets(counts)

    @cached_property
    def weighted_features(self) -> Tensor:
        """`w_ij e_ij` of every entry `[m, k]`."""
        return self.adj.weight.unsqueeze(1) * self.features


class _MessageSum(torch.autograd.Function):
    """The sum of messages at every node.

    Of what is as large as edges times channels, one tensor lives between the passes, the messages
    themselves: making them anew in the backward pass took twice the time.
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
        num_features: width of the node features, d.
        num_classes: width of the targets, C.
        num_edge_features: width of the features of edges, k, one at least.
        hidden_channels: width of every layer, H.
        num_layers: message-passing layers, L.
        dropout: share of the head's hidden units dropped in training.
        batch_norm: see `Classifier`.
    """

    plain: ClassVar[str]
    """The backbone of the same kind that needs no features of edges."""
    encodes_nodes: ClassVar[bool] = False
    """Whether features of nodes are mapped to H channels before the first layer."""

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
        self._require(num_edge_features > 0)
        self.num_edge_features = num_edge_features  # before the layers are made
        width = hidden_channels if self.encodes_nodes else num_features
        super().__init__(width, num_classes, hidden_channels, num_layers, dropout, batch_norm)
        if self.encodes_nodes:
            self.encoder = nn.Linear(num_features, hidden_channels, bias=False)

    def edges(self, batch: Graphs) -> EdgeMessages:
        """Return the edges of a batch; refuse one without features, or with others than these."""
        width = batch.num_edge_features
        self._require(width > 0)
        if width != self.num_edge_features:
            raise SmixupError(
                f"the edges of these graphs have {width} features, and {type(self).__name__} was "
                f"made for {self.num_edge_features}: encode them as those it was trained on."
            )
        return EdgeMessages(*batch.edge_features())

    def nodes(self, batch: Graphs) -> Tensor:
        """Return node representations `H^(L) [n, H]`."""
        h, edges = batch.floating().x, self.edges(batch)
        h = self.encoder(h) if self.encodes_nodes else h
        for layer in self.layers:
            h = layer(h, edges)
        return h

    @classmethod
    def _require(cls, featured: bool) -> None:
        if not featured:
            raise SmixupError(
                f"{cls.__name__} takes features of edges (edge_attr), and these graphs have none: "
                f"use the backbone {cls.plain}."
            )


class GINE(EdgeClassifier):
    """GINE (Hu et al. 2020): `h_i <- MLP((1 + eps) h_i + sum_j w_ij relu(h_j + E e_ij))`, a
    two-layer MLP, learnable `eps`, in every layer an E of its own.

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
    encodes_nodes = True

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GINELayer(self.num_edge_features, out_channels, batch_norm)


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


class GCNEdge(EdgeClassifier):
    """GCN over edges with features, as OGB's baseline has it: with `h <- H W + b`,

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

    def edges(self, batch: Graphs) -> EdgeMessages:
        return super().edges(batch).normalised()


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
        total = edges.sums(h, self.edge_encoder.weight)
        own = edges.own.to(h.dtype)
        out: Tensor = self.norm(total.addcmul_((h + self.loop).relu_(), own)).relu_()
        return out
