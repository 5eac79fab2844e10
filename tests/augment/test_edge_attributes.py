"""Attributes of edges go through every method alike, whether columns share their places or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, SMixup
from smixup.graphs import Graphs

TINY = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
OF_MATCHER = {f"matcher.{name}": value for name, value in TINY.items()}
WAYS: dict[str, tuple[str, dict[str, object]]] = {
    name: (name, OF_MATCHER if name in ("s-mixup", "s-cut") else {})
    for name in METHODS
    if name not in {"g-mixup", *SAME_NODES}  # draws graphs without attributes
}
WAYS |= {
    f"s-mixup, {text}": ("s-mixup", OF_MATCHER | settings)
    for text, settings in {
        "soft": {"matcher.normalization": "columns", "transport": "paper"},
        "soft, drawn afresh": {"matcher.normalization": "columns", "partners": None},
        "afresh": {"partners": None},
        "balanced": {"transport": "balanced"},
        "partial": {"transport": "partial"},
        "sampled": {"edges": "sampled"},
        "binary": {"edges": "binary", "least_weight": 0.1},
        "in place": {"amount": None},
    }.items()
}


def held(graphs: Graphs, wide: bool) -> Graphs:
    """Two features of edges that are the same in both directions, and a constant."""
    adj = graphs.adj.to_sparse()
    values = torch.stack([adj.row + adj.column, adj.row * adj.column, 0 * adj.row + 100], 1) / 100
    entries = replace(adj, weight=adj.weight.unsqueeze(1) * values)
    return graphs.replace(edge_attrs={"edge_attr": (entries,) if wide else entries.unbind()})


def augmented(name: str, settings: dict[str, object], graphs: Graphs) -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    method: Augmentation = make_method(name, 0, settings)
    train = method.fit_extend(graphs.renumbered())
    adj, features = method.on_batch(train[[4, 0, 2, 5, 6]].floating()).edge_features()
    return adj.to_dense(), features


@pytest.mark.parametrize(("name", "settings"), WAYS.values(), ids=list(WAYS))
def test_columns_at_one_place_are_those_of_maps_of_their_own(
    name: str, settings: dict[str, object], graphs: Graphs
) -> None:
    wide, narrow = (augmented(name, settings, held(graphs, each)) for each in (True, False))
    torch.testing.assert_close(wide, narrow)
    assert wide[1].size(1) == 3
    constant = wide[1][:, 2]  # an average of ones
    torch.testing.assert_close(constant, torch.ones_like(constant), rtol=1e-4, atol=1e-4)


def test_a_mix_along_the_identity_has_averages_by_lambda(graphs: Graphs) -> None:
    method = make_method("s-mixup", 0, {"matcher": "identity", "partners": None})
    assert isinstance(method, SMixup)
    pair = held(graphs[[4, 4]], wide=True)
    method.fit(pair)
    mixes = method.on_batch(pair.floating())[[2, 3]]
    torch.testing.assert_close(mixes.adj.to_dense()[:9, :9], pair.adj.to_dense()[:9, :9])
    a, b = (pair[[i]].edge_features()[1] for i in (0, 1))
    assert not torch.equal(a, b)
    for found, own, other in (
        (mixes[[0]].edge_features()[1], a, b),
        (mixes[[1]].edge_features()[1], b, a),
    ):
        lam = ((found - other) / (own - other))[:, :2].mean()
        assert 0.5 <= lam <= 1
        torch.testing.assert_close(found, torch.lerp(other, own, lam))
