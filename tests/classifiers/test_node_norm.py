"""A batch of one node is normalised as at test; every other one as `BatchNorm1d` does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from smixup.classifiers import GIN
from smixup.classifiers.counted_norm import can_count, counted_norm
from smixup.classifiers.node_norm import NodeNorm
from smixup.graphs import Graphs


@pytest.fixture
def pair() -> tuple[NodeNorm, nn.BatchNorm1d]:
    ours, plain = NodeNorm(3), nn.BatchNorm1d(3)
    with torch.no_grad():
        ours.weight.copy_(torch.tensor([0.5, 2.0, -1.0]))
        ours.bias.copy_(torch.tensor([0.1, 0.0, 3.0]))
    plain.load_state_dict(ours.state_dict())
    for norm in (ours, plain):
        norm(torch.arange(12.0).reshape(4, 3))
    return ours, plain


def test_several_nodes_are_normalised_as_ever(pair: tuple[NodeNorm, nn.BatchNorm1d]) -> None:
    ours, plain = pair
    x = torch.randn(5, 3)
    assert torch.equal(ours(x), plain(x))
    assert all(torch.equal(a, b) for a, b in zip(ours.buffers(), plain.buffers(), strict=True))
    assert torch.equal(ours.eval()(x[:1]), plain.eval()(x[:1]))


def test_one_node_is_normalised_as_at_test(pair: tuple[NodeNorm, nn.BatchNorm1d]) -> None:
    ours, plain = pair
    before = [buffer.clone() for buffer in ours.buffers()]
    x = torch.randn(1, 3, requires_grad=True)
    with pytest.raises(ValueError, match="more than 1 value"):
        plain(x)
    found = ours(x)
    by_hand = (x - plain.running_mean) / (plain.running_var + plain.eps).sqrt()  # type: ignore[operator]
    torch.testing.assert_close(found, by_hand * plain.weight + plain.bias)
    found.sum().backward()
    assert x.grad is not None
    assert ours.weight.grad is not None
    assert all(torch.equal(a, b) for a, b in zip(ours.buffers(), before, strict=True))


def test_no_node_changes_nothing(pair: tuple[NodeNorm, nn.BatchNorm1d]) -> None:
    ours, _ = pair
    before = [buffer.clone() for buffer in ours.buffers()]
    assert ours(torch.zeros(0, 3)).shape == (0, 3)
    assert all(torch.equal(a, b) for a, b in zip(ours.buffers(), before, strict=True))


def test_rows_that_stand_for_one_node(pair: tuple[NodeNorm, nn.BatchNorm1d]) -> None:
    ours, _ = pair
    x = torch.randn(1, 3)
    alone = counted_norm(ours, x, torch.tensor([1.0]))
    assert torch.equal(alone, ours(x))
    assert all(buffer.isfinite().all() for buffer in ours.buffers())
    assert can_count(ours)


def test_a_classifier_learns_from_a_graph_of_one_node(make_graphs: Callable[..., Graphs]) -> None:
    model = GIN(3, 2, hidden_channels=4, num_layers=2, batch_norm=True)
    model(make_graphs([1], num_features=3)).sum().backward()
    assert all(each.grad is not None for each in model.parameters())
