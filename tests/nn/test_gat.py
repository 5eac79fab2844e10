"""Attention over weighted edges, by hand."""

from __future__ import annotations

import torch
from torch import nn
from torch_geometric.nn import GATConv

from smixup.nn import WeightedGATConv


def test_attention_by_hand() -> None:
    """Node 0 hears 1 and 2, by score and weight; its shares are those of a plain softmax."""
    torch.manual_seed(0)
    conv = WeightedGATConv(3, 4, add_self_loops=False)
    x, edge_index = torch.randn(3, 3), torch.tensor([[1, 2], [0, 0]])
    weight = torch.tensor([0.25, 2.0])
    _, (_, alpha) = conv(x, edge_index, edge_weight=weight, return_attention_weights=True)
    h = conv.lin(x)
    scores = [
        nn.functional.leaky_relu((h[j] * conv.att_src[0, 0] + h[0] * conv.att_dst[0, 0]).sum(), 0.2)
        for j in (1, 2)
    ]
    parts = torch.stack([w * s.exp() for w, s in zip(weight, scores, strict=True)])
    torch.testing.assert_close(alpha.flatten(), parts / parts.sum())


def test_a_loop_counts_one_beside_the_weights_of_other_edges() -> None:
    """With equal scores, node 0 shares its attention by weights: 3 to node 1, 1 to itself."""
    conv = WeightedGATConv(2, 2, bias=False)
    nn.init.zeros_(conv.att_src)
    nn.init.zeros_(conv.att_dst)
    edge_index, weight = torch.tensor([[1, 0], [0, 0]]), torch.tensor([3.0, 50.0])
    x = torch.eye(2)
    out, (edges, alpha) = conv(x, edge_index, edge_weight=weight, return_attention_weights=True)
    assert edges.tolist() == [[1, 0, 1], [0, 0, 1]], (
        "a loop that was there gives way to the layer's"
    )
    torch.testing.assert_close(alpha.flatten(), torch.tensor([0.75, 0.25, 1.0]))
    h = conv.lin(x)
    torch.testing.assert_close(out, torch.stack([0.75 * h[1] + 0.25 * h[0], h[1]]))


def test_the_attribute_of_a_loop_is_the_mean_by_weight() -> None:
    conv = WeightedGATConv(2, 2, edge_dim=1, fill_value="mean")
    edge_index = torch.tensor([[1, 2, 0], [0, 0, 1]])
    attribute, weight = torch.tensor([[1.0], [5.0], [2.0]]), torch.tensor([3.0, 1.0, 0.0])
    _, found, _ = conv._with_loops(edge_index, attribute, weight, 3)
    assert found.flatten().tolist() == [1, 5, 2, (3 * 1 + 1 * 5) / 4, 0, 0]


def test_a_node_that_hears_nobody_is_zero_and_no_gap() -> None:
    conv = WeightedGATConv(2, 2, add_self_loops=False, bias=False)
    out = conv(torch.eye(2), torch.tensor([[1], [0]]), edge_weight=torch.zeros(1))
    assert torch.equal(out, torch.zeros(2, 2))


def test_messages_may_flow_the_other_way() -> None:
    torch.manual_seed(0)
    usual = GATConv(3, 4, add_self_loops=False, flow="target_to_source")
    ours = WeightedGATConv(3, 4, add_self_loops=False, flow="target_to_source")
    ours.load_state_dict(usual.state_dict())
    x, edge_index = torch.randn(4, 3), torch.tensor([[0, 0, 1, 3], [1, 2, 2, 0]])
    torch.testing.assert_close(ours(x, edge_index), usual(x, edge_index))
