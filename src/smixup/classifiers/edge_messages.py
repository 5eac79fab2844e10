"""Messages along edges with features, summed at every node: `sum_j w_ij relu(h_j + E e_ij)`.

OGB's baselines have messages of this form, and so has PyG's `GINEConv`, for edges of weight one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets


@dataclass(frozen=True)
class EdgeMessages:
    """The edges of a batch, along which every layer sends messages.

    Attributes:
        adj: one entry for every edge, `adj[i, j]` from j to i.
        features: `e`, of every entry `[m, k]`. Of a mix they are averages over the edges that an
            edge comes from, by their shares of its weight.

    Note:
        An edge of weight zero sends nothing, whatever its features are. A negative weight, as in
        correlation matrices, turns the sign of the message, not of the features: they enter as they
        are, and in a mix by the sizes of the weights.
    """

    adj: SparseOperator
    features: Tensor

    @classmethod
    def of(cls, batch: Graphs) -> EdgeMessages:
        """Take the edges of a batch with their features."""
        return cls(*batch.edge_features())

    def normalised(self) -> tuple[EdgeMessages, Tensor]:
        """Return the edges with weights `w_ij / sqrt(d_i d_j)`, and the degrees d `[n]`.

        A degree is one, for the node itself, plus the sizes of its edges' weights: so it is never
        zero, also where weights are negative and would cancel.
        """
        adj = self.adj
        degree = 1 + replace(adj, weight=adj.weight.abs()).row_sums()
        return replace(self, adj=adj.conjugated(degree.rsqrt())), degree

    def sums(self, h: Tensor, encoder: Tensor) -> Tensor:
        """Return the sum of messages at every node `[n, H]`.

        Args:
            h: representations of nodes `[n, H]`.
            encoder: E, from features of edges to their representations, `[H, k]`.
        """
        found: Tensor = _MessageSum.apply(h, encoder, self)
        return found

    @cached_property
    def every(self) -> Tensor:
        """All entries `[m]`."""
        return torch.arange(self.adj.column.numel(), device=self.adj.column.device)

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
    themselves, and one more in each of them. Making the messages anew in the backward pass would
    spare the first; it took twice the time of the pass.
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, encoder: Tensor, edges: EdgeMessages) -> Tensor:
        messages = h.index_select(0, edges.adj.column)
        messages.addmm_(edges.features.to(h.dtype), encoder.T.to(h.dtype)).relu_()
        ctx.save_for_backward(messages)
        ctx.edges, ctx.encoder_dtype = edges, encoder.dtype
        return _sums(messages, edges.every, edges.adj.row_ptr, edges.adj.weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        edges, g = ctx.edges, gradients[0]
        (messages,) = ctx.saved_tensors
        back = g.index_select(0, edges.adj.row)
        torch.ops.aten.threshold_backward.grad_input(back, messages, 0, grad_input=back)
        order, begins = edges.by_source
        of_nodes = _sums(back, order, begins, edges.adj.weight.index_select(0, order))
        of_encoder = (edges.weighted_features.to(back.dtype).T @ back).T
        return of_nodes, of_encoder.to(ctx.encoder_dtype), None


def _sums(rows: Tensor, order: Tensor, begins: Tensor, weight: Tensor) -> Tensor:
    """Return weighted sums of `rows [m, H]` in the given order, from each beginning to the next."""
    if order.numel() == 0:
        return rows.new_zeros(begins.numel() - 1, rows.size(1))
    return F.embedding_bag(
        order,
        rows,
        begins,
        mode="sum",
        per_sample_weights=weight.to(rows.dtype),
        include_last_offset=True,
    )
