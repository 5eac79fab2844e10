"""Sums and means in which an edge counts by its weight."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.nn import MessagePassing

from smixup.errors import UsageError
from smixup.nn import WeightedSAGEConv
from smixup.nn.aggregation import WeightedAggregation

EDGES = torch.tensor([[0, 1, 2, 0], [1, 2, 1, 2]])
WEIGHT = torch.tensor([0.5, 2.0, 3.0, -1.0])
X = torch.tensor([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0], [8.0, 80.0]])


class Plain(WeightedAggregation):
    """Sends features as they are."""

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        out: Tensor = self.propagate(edge_index, x=x, edge_weight=edge_weight)
        return out

    def message(self, x_j: Tensor) -> Tensor:
        return x_j


def slowly(mean: bool) -> list[list[float]]:
    """Edge by edge; a node without edges has zeros."""
    found = [[0.0, 0.0] for _ in range(4)]
    mass = [0.0] * 4
    for source, target, weight in zip(*EDGES.tolist(), WEIGHT.tolist(), strict=True):
        mass[target] += weight
        for column in range(2):
            found[target][column] += weight * float(X[source, column])
    if not mean:
        return found
    return [[value / (each or 1) for value in row] for row, each in zip(found, mass, strict=True)]


@pytest.mark.parametrize("aggr", ["add", "mean"])
def test_messages_count_by_weight(aggr: str) -> None:
    found = Plain(aggr=aggr)(X, EDGES, WEIGHT)
    torch.testing.assert_close(found, torch.tensor(slowly(aggr == "mean")))


@pytest.mark.parametrize("aggr", ["add", "mean"])
def test_without_weights_it_is_what_pyg_computes(aggr: str) -> None:
    class Usual(MessagePassing):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            out: Tensor = self.propagate(edge_index, x=x)
            return out

    torch.testing.assert_close(Plain(aggr=aggr)(X, EDGES), Usual(aggr=aggr)(X, EDGES))


def test_weights_that_cancel_leave_the_sum() -> None:
    """A mean would have to divide by zero."""
    edges, weight = torch.tensor([[0, 1], [2, 2]]), torch.tensor([1.0, -1.0])
    found = Plain(aggr="mean")(X, edges, weight)
    assert found[2].tolist() == [-1.0, -10.0]


def test_weights_take_the_type_of_the_messages() -> None:
    found = Plain(aggr="mean")(X.double(), EDGES, WEIGHT)
    assert found.dtype == torch.double


def test_a_maximum_cannot_be_weighed() -> None:
    with pytest.raises(UsageError, match="WeightedSAGEConv can weigh edges in a sum or a mean"):
        WeightedSAGEConv(3, 4, aggr="max")


@pytest.mark.parametrize("aggr", ["max", "mul", "median"])
def test_other_aggregations_are_refused_by_name(aggr: str) -> None:
    with pytest.raises(
        UsageError, match=r"Plain can weigh edges in a sum or a mean, not in .*'add'"
    ):
        Plain(aggr=aggr).require_weights_to_count()
    Plain(aggr="sum").require_weights_to_count()
