"""Sums and means over weighted edges."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.nn import MeanAggregation, MessagePassing, SumAggregation
from torch_geometric.utils import scatter

from smixup.errors import UsageError


class WeightedAggregation(MessagePassing):
    """Counts the message of an edge by its weight: a sum of `w m`, or a mean `sum w m / sum w`."""

    def require_weights_to_count(self) -> None:
        """Refuse aggregations in which an edge cannot count in part."""
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
