"""Layers that hear weights: the layers they are named after, with edges counted in part."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GINConv, GINEConv, SAGEConv

from smixup.errors import UsageError
from smixup.nn import WeightedGATConv, WeightedGINConv, WeightedGINEConv, WeightedSAGEConv

close = torch.testing.assert_close
Layer = Callable[..., nn.Module]
NO_LOOPS = {"add_self_loops": False}
# PyG's layer, ours, what both are made of, and whether they take attributes of edges.
PAIRS: dict[str, tuple[Layer, Layer, dict[str, Any], bool]] = {
    "gin": (GINConv, WeightedGINConv, {"train_eps": True}, False),
    "gin, mean": (GINConv, WeightedGINConv, {"eps": 0.5, "aggr": "mean"}, False),
    "gine": (GINEConv, WeightedGINEConv, {"edge_dim": 2}, True),
    "sage": (SAGEConv, WeightedSAGEConv, {}, False),
    "sage, no root": (SAGEConv, WeightedSAGEConv, {"root_weight": False}, False),
    "sage, sum": (SAGEConv, WeightedSAGEConv, {"aggr": "add", "project": True}, False),
    "sage, to length one": (SAGEConv, WeightedSAGEConv, {"normalize": True}, False),
    "gat": (GATConv, WeightedGATConv, {"heads": 2, "edge_dim": 2}, True),
    "gat, no loops": (GATConv, WeightedGATConv, {"heads": 2, "concat": False} | NO_LOOPS, True),
    "gat, residual": (GATConv, WeightedGATConv, {"residual": True} | NO_LOOPS, True),
    "gat, back": (GATConv, WeightedGATConv, {"flow": "target_to_source"} | NO_LOOPS, True),
}


@pytest.mark.parametrize("name", PAIRS)
def test_an_edge_of_weight_k_is_k_edges(name: str) -> None:
    make, make_ours, settings, with_attributes = PAIRS[name]
    torch.manual_seed(0)
    first = (nn.Linear(3, 4),) if "gin" in name else (3, 4)
    usual, ours = make(*first, **settings), make_ours(*copy.deepcopy(first), **settings)
    ours.load_state_dict(usual.state_dict())
    random = torch.Generator().manual_seed(0)
    edge_index = torch.randint(6, (2, 14), generator=random)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    m = edge_index.size(1)
    x, edge_attr = torch.randn(6, 3, generator=random), torch.randn(m, 2, generator=random)

    def weighted(weight: Tensor | None, layer: nn.Module = ours) -> Tensor:
        out: Tensor = layer(x, edge_index, *[edge_attr] * with_attributes, weight)
        return out

    def plain(places: Tensor) -> Tensor:
        attributes = [edge_attr[places]] * with_attributes
        out: Tensor = usual(x, edge_index[:, places], *attributes)
        return out

    every = torch.arange(m)
    close(weighted(None), plain(every))
    for number in (torch.ones(m).long(), (every % 3 > 0).long(), every % 3 + 1):
        close(weighted(number.float()), plain(every.repeat_interleave(number)))
    weight = torch.full((m,), 0.5, requires_grad=True)
    weighted(weight).square().sum().backward()
    assert weight.grad is not None and weight.grad.any()
    for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        close(weighted(weight, other), weighted(weight))


X = torch.tensor([[1.0, -3.0], [0.0, 1.0], [2.0, 2.0]])
EDGES, WEIGHT = torch.tensor([[1, 2], [0, 0]]), torch.tensor([0.5, 3.0])


def test_sums_and_means_by_hand() -> None:
    out = WeightedGINConv(nn.Identity(), eps=0.5)(X, EDGES, WEIGHT)
    first = [1.5 * 1 + 0.5 * 0 + 3 * 2, 1.5 * -3 + 0.5 * 1 + 3 * 2]
    close(out, torch.tensor([first, [0.0, 1.5], [3.0, 3.0]]))
    conv = WeightedSAGEConv(2, 3)
    gathered = torch.tensor([[6 / 3.5, 6.5 / 3.5], [0.0, 0.0], [0.0, 0.0]])
    close(conv(X, EDGES, WEIGHT), conv.lin_l(gathered) + conv.lin_r(X))
    cancelling = WeightedSAGEConv(2, 2, root_weight=False, bias=False)
    nn.init.eye_(cancelling.lin_l.weight)
    out = cancelling(X, EDGES, torch.tensor([1.0, -1.0]))
    assert out[0].tolist() == [-2.0, -1.0], "a mean would have to divide by zero"


def test_attention_by_hand() -> None:
    torch.manual_seed(0)
    conv = WeightedGATConv(2, 4, add_self_loops=False)
    _, (_, alpha) = conv(X, EDGES, edge_weight=WEIGHT, return_attention_weights=True)
    h = conv.lin(X)
    score = [(h[j] * conv.att_src[0, 0] + h[0] * conv.att_dst[0, 0]).sum() for j in (1, 2)]
    parts = WEIGHT * nn.functional.leaky_relu(torch.stack(score), 0.2).exp()
    close(alpha.flatten(), parts / parts.sum())
    conv = WeightedGATConv(2, 2, bias=False)
    nn.init.zeros_(conv.att_src)
    nn.init.zeros_(conv.att_dst)
    ends, weight = torch.tensor([[1, 0], [0, 0]]), torch.tensor([3.0, 50.0])
    out, (edges, alpha) = conv(
        torch.eye(2), ends, edge_weight=weight, return_attention_weights=True
    )
    assert edges.tolist() == [[1, 0, 1], [0, 0, 1]], "a loop gives way to the layer's, of weight 1"
    close(alpha.flatten(), torch.tensor([0.75, 0.25, 1.0]))
    h = conv.lin(torch.eye(2))
    close(out, torch.stack([0.75 * h[1] + 0.25 * h[0], h[1]]))
    conv = WeightedGATConv(2, 2, edge_dim=1, fill_value="mean")
    ends, attribute = torch.tensor([[1, 2, 0], [0, 0, 1]]), torch.tensor([[1.0], [5.0], [2.0]])
    _, attributes, _ = conv._with_loops(ends, attribute, torch.tensor([3.0, 1.0, 0.0]), 3)
    assert attributes.flatten().tolist() == [1, 5, 2, (3 * 1 + 1 * 5) / 4, 0, 0]
    conv = WeightedGATConv(2, 2, add_self_loops=False, bias=False)
    out = conv(torch.eye(2), torch.tensor([[1], [0]]), edge_weight=torch.zeros(1))
    assert torch.equal(out, torch.zeros(2, 2)), "who hears nobody is zero and no gap"


def test_two_sets_of_nodes() -> None:
    torch.manual_seed(0)
    x, ends = (torch.randn(4, 3), torch.randn(2, 3)), torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])
    for ours, usual in (
        (WeightedSAGEConv((3, 3), 4), SAGEConv((3, 3), 4)),
        (WeightedGINConv(nn.Linear(3, 4)), GINConv(nn.Linear(3, 4))),
        (WeightedGATConv((3, 3), 4, **NO_LOOPS), GATConv((3, 3), 4, **NO_LOOPS)),
    ):
        ours.load_state_dict(usual.state_dict())
        close(ours(x, ends, edge_weight=torch.ones(4)), usual(x, ends))


def test_weights_may_be_of_another_type_and_count_in_sums_and_means_alone() -> None:
    close(WeightedGINConv(nn.Identity())(X.double(), EDGES, WEIGHT)[1:], X[1:].double())
    for name, (_, make, settings, _) in PAIRS.items():
        if "gat" not in name:
            with pytest.raises(UsageError, match=f"{make.__name__} can weigh .*'add'"):
                make(*(nn.Linear(2, 2),) if "gin" in name else (2, 2), **settings | {"aggr": "max"})
