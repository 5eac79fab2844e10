"""A model that cannot hear edge weights is warned about; one that can is not."""

from __future__ import annotations

import warnings

import pytest
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINConv

from smixup.augment.edge_weight import (
    IgnoredEdgeWeight,
    layers_without_edge_weight,
    warn_if_ignored,
)


def test_layers_without_weights_are_named() -> None:
    model = nn.ModuleDict(
        {"first": GCNConv(3, 4), "second": GINConv(nn.Linear(4, 4)), "third": GATConv(4, 4)}
    )
    assert layers_without_edge_weight(model) == ["second (GINConv)"]


def test_the_warning_comes_with_the_model() -> None:
    with pytest.warns(IgnoredEdgeWeight, match="GINConv"):
        warn_if_ignored(GINConv(nn.Linear(4, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_ignored(GCNConv(3, 4))
