"""GIN and GINE over weighted edges, by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from smixup.errors import UsageError
from smixup.nn import WeightedGINConv, WeightedGINEConv

X = torch.tensor([[1.0, -3.0], [0.0, 1.0], [2.0, 2.0]])
EDGES, WEIGHT = torch.tensor([[1, 2], [0, 0]]), torch.tensor([0.5, 3.0])


def test_gin_adds_neighbours_by_weight_to_the_node_itself() -> None:
    found = WeightedGINConv(nn.Identity(), eps=0.5)(X, EDGES, WEIGHT)
    first = [1.5 * 1 + 0.5 * 0 + 3 * 2, 1.5 * -3 + 0.5 * 1 + 3 * 2]
    torch.testing.assert_close(found, torch.tensor([first, [0.0, 1.5], [3.0, 3.0]]))


def test_gine_adds_attributes_before_it_weighs() -> None:
    """A message is relu(x + attribute); its weight comes behind the relu."""
    attributes = torch.tensor([[1.0, -5.0], [-1.0, 0.0]])
    found = WeightedGINEConv(nn.Identity())(X, EDGES, attributes, WEIGHT)
    first = [1 + 0.5 * 1 + 3 * 1, -3 + 0.5 * 0 + 3 * 2]
    torch.testing.assert_close(found[0], torch.tensor(first))
    torch.testing.assert_close(found[1:], X[1:])


@pytest.mark.parametrize("layer", [WeightedGINConv, WeightedGINEConv])
def test_a_maximum_cannot_be_weighed(layer: type[nn.Module]) -> None:
    with pytest.raises(UsageError, match=f"{layer.__name__} can weigh edges in a sum or a mean"):
        layer(nn.Linear(2, 2), aggr="max")
