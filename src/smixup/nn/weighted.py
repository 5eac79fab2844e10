"""Layers of PyG whose sums, means and attention count an edge by its weight."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.nn import (
    GATConv,
    GINConv,
    GINEConv,
    MeanAggregation,
    MessagePassing,
    SAGEConv,
    SumAggregation,
)
from torch_geometric.typing import Adj, OptPairTensor, OptTensor, Size
from torch_geometric.utils import add_self_loops, remove_self_loops, scatter, softmax

from smixup.errors import UsageError


class WeightedAggregation(MessagePassing):
    """Counts the message of an edge by its weight: a sum of `w m`, or a mean `sum w m / sum w`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.aggr_module, SumAggregation | MeanAggregation):
            raise UsageError(
                f"{type(self).__name__} can weigh edges in a sum or a mean, not in "
                f"{self.aggr_module}: use aggr='add' or aggr='mean'."
            )

    def aggregate(
        self,
        inputs: Tensor,
        index: Tensor,
        edge_weight: Tensor | None = None,
        ptr: Tensor | None = None,
        dim_size: int | None = None,
    ) -> Tensor:
        """Add up messages, or take their mean."""
        if edge_weight is None:
            out: Tensor = self.aggr_module(inputs, index, ptr, dim_size, self.node_dim)
            return out
        shape = [1] * inputs.dim()
        shape[self.node_dim] = -1
        weight = edge_weight.to(inputs.dtype).view(shape)
        total: Tensor = scatter(inputs * weight, index, self.node_dim, dim_size)
        if isinstance(self.aggr_module, SumAggregation):
            return total
        mass: Tensor = scatter(weight, index, self.node_dim, dim_size)
        return total / torch.where(mass == 0, 1, mass)


class WeightedGINConv(WeightedAggregation, GINConv):
    """`GINConv` whose sum counts neighbours by the weight of their edge; arguments are those of
    `GINConv`.

    Example::

        conv = WeightedGINConv(Sequential(Linear(3, 16), ReLU(), Linear(16, 16)))
        h = conv(x, edge_index, edge_weight)
    """

    def forward(
        self,
        x: Tensor | OptPairTensor,
        edge_index: Adj,
        edge_weight: OptTensor = None,
        size: Size = None,
    ) -> Tensor:
        """Return node features `[n, H]`; without weights, those of `GINConv`."""
        pair = (x, x) if isinstance(x, Tensor) else x
        # propagate_type: (x: OptPairTensor, edge_weight: OptTensor)
        out = self.propagate(edge_index, x=pair, edge_weight=edge_weight, size=size)
        return _with_own(self, out, pair[1])


class WeightedGINEConv(WeightedAggregation, GINEConv):
    """`GINEConv` whose sum counts neighbours by the weight of their edge; arguments are those of
    `GINEConv`.

    Example::

        conv = WeightedGINEConv(Linear(3, 16), edge_dim=4)
        h = conv(x, edge_index, edge_attr, edge_weight)
    """

    def forward(
        self,
        x: Tensor | OptPairTensor,
        edge_index: Adj,
        edge_attr: OptTensor = None,
        edge_weight: OptTensor = None,
        size: Size = None,
    ) -> Tensor:
        """Return node features `[n, H]`; without weights, those of `GINEConv`."""
        pair = (x, x) if isinstance(x, Tensor) else x
        # propagate_type: (x: OptPairTensor, edge_attr: OptTensor, edge_weight: OptTensor)
        out = self.propagate(
            edge_index, x=pair, edge_attr=edge_attr, edge_weight=edge_weight, size=size
        )
        return _with_own(self, out, pair[1])


def _with_own(layer: GINConv | GINEConv, total: Tensor, own: OptTensor) -> Tensor:
    combined: Tensor = layer.nn(total if own is None else total + (1 + layer.eps) * own)
    return combined


class WeightedSAGEConv(WeightedAggregation, SAGEConv):
    """`SAGEConv` whose mean, or sum, counts neighbours by the weight of their edge; arguments are
    those of `SAGEConv`, with `aggr="mean"` or `aggr="add"`.

    Example::

        h = WeightedSAGEConv(3, 16)(x, edge_index, edge_weight)
    """

    def forward(
        self,
        x: Tensor | OptPairTensor,
        edge_index: Adj,
        edge_weight: OptTensor = None,
        size: Size = None,
    ) -> Tensor:
        """Return node features `[n, H]`; without weights, those of `SAGEConv`."""
        source, target = (x, x) if isinstance(x, Tensor) else x
        if self.project:
            source = self.lin(source).relu()
        pair = source, target
        # propagate_type: (x: OptPairTensor, edge_weight: OptTensor)
        gathered = self.propagate(edge_index, x=pair, edge_weight=edge_weight, size=size)
        out: Tensor = self.lin_l(gathered)
        if self.root_weight and target is not None:
            out = out + self.lin_r(target)
        return F.normalize(out, dim=-1) if self.normalize else out


class WeightedGATConv(GATConv):
    """`GATConv` whose attention is shared out by score and weight: `w exp(a) / sum w exp(a)`.

    Example::

        conv = WeightedGATConv(3, 16, heads=4, edge_dim=5)
        h = conv(x, edge_index, edge_attr, edge_weight)

    Self-loops that the layer adds have weight 1. Arguments are those of `GATConv`.
    """

    def forward(
        self,
        x: Tensor | OptPairTensor,
        edge_index: Tensor,
        edge_attr: OptTensor = None,
        edge_weight: OptTensor = None,
        size: Size = None,
        return_attention_weights: bool | None = None,
    ) -> Tensor | tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return node features `[n, heads * H]`; without weights, those of `GATConv`."""
        source, target = self._projected(x)
        if edge_weight is None:
            edge_weight = source.new_ones(edge_index.size(1))
        if self.add_self_loops:
            count = len(source) if target is None else min(len(source), len(target))
            nodes = count if size is None else min(size)
            edge_index, edge_attr, edge_weight = self._with_loops(
                edge_index, edge_attr, edge_weight, nodes
            )
        alpha = self._attention(source, target, edge_index, edge_attr, edge_weight, size)
        dropped = F.dropout(alpha, self.dropout, self.training)
        # propagate_type: (x: OptPairTensor, alpha: Tensor)
        out = self.propagate(edge_index, x=(source, target), alpha=dropped, size=size)
        out = out.flatten(1) if self.concat else out.mean(1)
        root = x if isinstance(x, Tensor) else x[1]
        if getattr(self, "res", None) is not None and root is not None:
            out = out + self.res(root)
        if self.bias is not None:
            out = out + self.bias
        return (out, (edge_index, dropped)) if return_attention_weights else out

    def _projected(self, x: Tensor | OptPairTensor) -> tuple[Tensor, OptTensor]:
        """Return features of sources and targets, `[n, heads, H]`."""
        left, right = (x, x) if isinstance(x, Tensor) else x
        to_source, to_target = (self.lin_src, self.lin_dst) if self.lin is None else [self.lin] * 2
        shape = (-1, self.heads, self.out_channels)
        return to_source(left).view(shape), None if right is None else to_target(right).view(shape)

    def _with_loops(
        self, edge_index: Tensor, edge_attr: OptTensor, edge_weight: Tensor, nodes: int
    ) -> tuple[Tensor, OptTensor, Tensor]:
        """Return edges with a loop at every node; where its attribute is a mean of those of other
        edges, they count by weight.
        """
        edges, edge_attr = remove_self_loops(edge_index, edge_attr)
        _, weight = remove_self_loops(edge_index, edge_weight)
        looped, weights = add_self_loops(edges, weight, 1.0, nodes)
        if edge_attr is not None and self.fill_value == "mean":
            by_weight = weight.to(edge_attr.dtype).view(-1, *[1] * (edge_attr.dim() - 1))
            total = scatter(edge_attr * by_weight, edges[1], 0, nodes)
            mass = scatter(by_weight, edges[1], 0, nodes)
            return looped, torch.cat([edge_attr, total / torch.where(mass == 0, 1, mass)]), weights
        return looped, add_self_loops(edges, edge_attr, self.fill_value, nodes)[1], weights

    def _attention(
        self,
        source: Tensor,
        target: OptTensor,
        edge_index: Tensor,
        edge_attr: OptTensor,
        edge_weight: Tensor,
        size: Size,
    ) -> Tensor:
        """Return how much each edge counts among those of its target, `[m, heads]`."""
        forwards = self.flow == "source_to_target"
        j, i = edge_index if forwards else edge_index.flip(0)
        score = (source * self.att_src).sum(-1)[j]
        if target is not None:
            score = score + (target * self.att_dst).sum(-1)[i]
        if edge_attr is not None and self.lin_edge is not None:
            columns = edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
            of_edge = self.lin_edge(columns).view(-1, self.heads, self.out_channels)
            score = score + (of_edge * self.att_edge).sum(-1)
        nodes = len(source) if target is None else len(target)
        if size is not None:
            nodes = size[1] if forwards else size[0]
        share = softmax(F.leaky_relu(score, self.negative_slope), i, num_nodes=nodes)
        weighted = share * edge_weight.to(share.dtype).view(-1, 1)
        mass = scatter(weighted, i, 0, nodes)
        alpha: Tensor = weighted / torch.where(mass == 0, 1, mass)[i]
        return alpha
