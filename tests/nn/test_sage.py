"""GraphSAGE over weighted edges, by hand."""

from __future__ import annotations

import pytest
import torch

from smixup.nn import WeightedSAGEConv

X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
EDGES, WEIGHT = torch.tensor([[1, 2], [0, 0]]), torch.tensor([1.0, 3.0])


@pytest.mark.parametrize(("aggr", "heard"), [("mean", [1.5, 1.75]), ("add", [6.0, 7.0])])
def test_neighbours_by_weight_and_the_node_itself(aggr: str, heard: list[float]) -> None:
    """Node 0 hears node 1 once and node 2 three times; the others hear nobody."""
    torch.manual_seed(0)
    conv = WeightedSAGEConv(2, 3, aggr=aggr)
    gathered = torch.tensor([heard, [0.0, 0.0], [0.0, 0.0]])
    expected = conv.lin_l(gathered) + conv.lin_r(X)
    torch.testing.assert_close(conv(X, EDGES, WEIGHT), expected)


def test_without_the_node_itself() -> None:
    torch.manual_seed(0)
    conv = WeightedSAGEConv(2, 3, root_weight=False)
    expected = conv.lin_l(torch.tensor([[1.5, 1.75], [0.0, 0.0], [0.0, 0.0]]))
    torch.testing.assert_close(conv(X, EDGES, WEIGHT), expected)


def test_neighbours_are_projected_before_they_are_weighed() -> None:
    torch.manual_seed(0)
    conv = WeightedSAGEConv(2, 3, project=True, normalize=True)
    sent = conv.lin(X).relu()
    heard = torch.stack([(sent[1] + 3 * sent[2]) / 4, torch.zeros(2), torch.zeros(2)])
    out = conv.lin_l(heard) + conv.lin_r(X)
    expected = out / out.square().sum(1, keepdim=True).sqrt()
    torch.testing.assert_close(conv(X, EDGES, WEIGHT), expected)
