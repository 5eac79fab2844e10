"""GraphSAGE over weighted edges."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F
from torch import Tensor
from torch_geometric.nn import SAGEConv
from torch_geometric.typing import Adj, OptPairTensor, OptTensor, Size

from smixup.nn.aggregation import WeightedAggregation


class WeightedSAGEConv(WeightedAggregation, SAGEConv):
    """`SAGEConv` whose mean, or sum, counts neighbours by the weight of their edge.

    Example::

        h = WeightedSAGEConv(3, 16)(x, edge_index, edge_weight)

    Args:
        in_channels: width of the input.
        out_channels: width of the output.
        aggr: `mean`, or `add`.
        kwargs: as of `SAGEConv`.
    """

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        aggr: str = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(in_channels, out_channels, aggr, **kwargs)
        self.require_weights_to_count()

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
