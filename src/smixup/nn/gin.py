"""GIN and GINE over weighted edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch_geometric.nn import GINConv, GINEConv
from torch_geometric.typing import Adj, OptPairTensor, OptTensor, Size

from smixup.nn.aggregation import WeightedAggregation


class WeightedGINConv(WeightedAggregation, GINConv):
    """`GINConv` whose sum counts neighbours by the weight of their edge.

    Example::

        conv = WeightedGINConv(Sequential(Linear(3, 16), ReLU(), Linear(16, 16)))
        h = conv(x, edge_index, edge_weight)

    Args:
        nn: applied to the sum.
        eps: by how much more than a neighbour the node itself counts.
        train_eps: whether it is learnt.
        kwargs: as of `GINConv`.
    """

    def __init__(
        self, nn: Callable, eps: float = 0.0, train_eps: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(nn, eps, train_eps, **kwargs)
        self.require_weights_to_count()

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
        if pair[1] is not None:
            out = out + (1 + self.eps) * pair[1]
        found: Tensor = self.nn(out)
        return found


class WeightedGINEConv(WeightedAggregation, GINEConv):
    """`GINEConv` whose sum counts neighbours by the weight of their edge.

    Example::

        conv = WeightedGINEConv(Linear(3, 16), edge_dim=4)
        h = conv(x, edge_index, edge_attr, edge_weight)

    Args:
        nn: applied to the sum.
        eps: by how much more than a neighbour the node itself counts.
        train_eps: whether it is learnt.
        edge_dim: width of `edge_attr`, if it is not that of the nodes.
        kwargs: as of `GINEConv`.
    """

    def __init__(
        self,
        nn: nn.Module,
        eps: float = 0.0,
        train_eps: bool = False,
        edge_dim: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(nn, eps, train_eps, edge_dim, **kwargs)
        self.require_weights_to_count()

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
        if pair[1] is not None:
            out = out + (1 + self.eps) * pair[1]
        found: Tensor = self.nn(out)
        return found
