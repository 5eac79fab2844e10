"""Layers of PyG that hear edge weights, for models whose layers do not.

Example::

    from smixup.nn import WeightedGINConv      # in the place of torch_geometric.nn.GINConv

    h = conv(x, edge_index, edge_weight)

Each has the parameters and the state of the layer it is named after, and is that layer where all
weights are 1. An edge of weight 0 is none, and one of weight 2 counts as two.
"""

from smixup.nn.weighted import (
    WeightedGATConv,
    WeightedGINConv,
    WeightedGINEConv,
    WeightedSAGEConv,
)

__all__ = ["WeightedGATConv", "WeightedGINConv", "WeightedGINEConv", "WeightedSAGEConv"]
