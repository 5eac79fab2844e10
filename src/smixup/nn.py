"""Layers of PyG that hear edge weights, for models whose layers do not.

Example::

    from smixup.nn import WeightedGINConv      # in the place of torch_geometric.nn.GINConv

    h = conv(x, edge_index, edge_weight)

Each has the parameters and the state of the layer it is named after, and is that layer where all
weights are 1. An edge of weight 0 is none, and one of weight 2 counts as two.
"""

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
        if isinstance(self.aggr_module, SumAggregation):
            total: Tensor = scatter(inputs * weight, index, self.node_dim, dim_size)
            return total
        return _weighted_mean(inputs, weight, index, self.node_dim, dim_size)


def _weighted_mean(
    values: Tensor, weight: Tensor, index: Tensor, dim: int, size: int | None
) -> Tensor:
    """Return `sum w v / sum w` of the values at each index, zero where weights cancel out."""
    total, mass = (scatter(each, index, dim, size) for each in (values * weight, weight))
    mean: Tensor = total / torch.where(mass == 0, 1, mass)
    return mean


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
        total = self.propagate(edge_index, x=pair, edge_weight=edge_weight, size=size)
        return _with_own(self, total, pair[1])


class WeightedGINEConv(WeightedAggregation, GINEConv):
    """`GINEConv` likewise.

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
        edges = {"edge_attr": edge_attr, "edge_weight": edge_weight}
        return _with_own(self, self.propagate(edge_index, x=pair, size=size, **edges), pair[1])


def _with_own(layer: GINConv | GINEConv, total: Tensor, own: OptTensor) -> Tensor:
    combined: Tensor = layer.nn(total if own is None else total + (1 + layer.eps) * own)
    return combined


class WeightedSAGEConv(WeightedAggregation, SAGEConv):
    """`SAGEConv` likewise, of its mean or sum, `aggr="mean"` or `aggr="add"`.

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
        # propagate_type: (x: OptPairTensor, edge_weight: OptTensor)
        gathered = self.propagate(
            edge_index, x=(source, target), edge_weight=edge_weight, size=size
        )
        out: Tensor = self.lin_l(gathered)
        if self.root_weight and target is not None:
            out = out + self.lin_r(target)
        return F.normalize(out, dim=-1) if self.normalize else out


class WeightedGATConv(GATConv):
    """`GATConv` whose attention is shared out by score and weight: `w exp(a) / sum w exp(a)`;
    arguments are those of `GATConv`. Self-loops that the layer adds have weight 1.

    Example::

        conv = WeightedGATConv(3, 16, heads=4, edge_dim=5)
        h = conv(x, edge_index, edge_attr, edge_weight)
    """

    def __init__(self, *args: Any, add_self_loops: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, add_self_loops=False, **kwargs)
        self.adds_loops = add_self_loops  # here, as their weights have to be known

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
        if edge_weight is None:
            edge_weight = torch.ones(edge_index.size(1), device=edge_index.device)
        if self.adds_loops:
            counts = [
                len(each) for each in (x if isinstance(x, tuple) else [x]) if each is not None
            ]
            nodes = min(counts if size is None else size)
            edge_index, edge_attr, edge_weight = self._with_loops(
                edge_index, edge_attr, edge_weight, nodes
            )
        columns = edge_weight.view(-1, 1)  # PyG carries along what is an attribute
        if edge_attr is not None:
            attributes = edge_attr.unsqueeze(1) if edge_attr.dim() == 1 else edge_attr
            columns = torch.cat([columns.to(attributes.dtype), attributes], 1)
        told = return_attention_weights or None  # False asks for them, too, in PyG
        return super().forward(x, edge_index, columns, size, told)  # type: ignore[no-any-return]

    def _with_loops(
        self, edge_index: Tensor, edge_attr: OptTensor, edge_weight: Tensor, nodes: int
    ) -> tuple[Tensor, OptTensor, Tensor]:
        """Return edges with a loop at every node; a mean of attributes counts edges by weight."""
        edges, edge_attr = remove_self_loops(edge_index, edge_attr)
        _, weight = remove_self_loops(edge_index, edge_weight)
        fill = self.fill_value
        if edge_attr is not None and fill == "mean":
            by_weight = weight.to(edge_attr.dtype).view(-1, *[1] * (edge_attr.dim() - 1))
            fill = _weighted_mean(edge_attr, by_weight, edges[1], 0, nodes)
        looped, weights = add_self_loops(edges, weight, 1.0, nodes)
        return looped, add_self_loops(edges, edge_attr, fill, nodes)[1], weights

    def edge_update(
        self,
        alpha_j: Tensor,
        alpha_i: OptTensor,
        edge_attr: Tensor,
        index: Tensor,
        ptr: OptTensor,
        dim_size: int | None,
    ) -> Tensor:
        """Return how much each edge counts among those of its target, `[m, heads]`."""
        edge_weight, attributes = edge_attr[:, :1], edge_attr[:, 1:]
        score = alpha_j if alpha_i is None else alpha_j + alpha_i
        if attributes.size(1) and self.lin_edge is not None:
            of_edge = self.lin_edge(attributes).view(-1, self.heads, self.out_channels)
            score = score + (of_edge * self.att_edge).sum(-1)
        share = softmax(F.leaky_relu(score, self.negative_slope), index, ptr, dim_size)
        weighted = share * edge_weight.to(share.dtype)
        mass = scatter(weighted, index, 0, dim_size)
        alpha = weighted / torch.where(mass == 0, 1, mass)[index]
        return F.dropout(alpha, self.dropout, self.training)
