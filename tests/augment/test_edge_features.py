"""Features of edges go through every method."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from tiny_methods import METHODS, method

from smixup.classifiers import GINE
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.training import Splits, TrainSettings, fit

WAYS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in METHODS if name != "g-mixup"},
    "s-mixup, soft": ("s-mixup", {"transport": "paper", "partners": None}),
    "s-mixup, partial": ("s-mixup", {"transport": "partial", "edges": "sampled"}),
    "s-mixup, in place": ("s-mixup", {"amount": None}),
}


def with_features(graphs: Graphs, *columns: torch.Tensor) -> Graphs:
    rows = graphs.adj.weight.unsqueeze(1) * torch.stack(columns, 1)
    return graphs.replace(edge_attrs={"edge_attr": rows})


def symmetric(adj: SparseOperator) -> tuple[torch.Tensor, ...]:
    """Two features that are the same in both directions, and a constant."""
    return (adj.row + adj.column) / 100, (adj.row * adj.column) / 100, torch.ones(len(adj.row))


@pytest.mark.parametrize("way", WAYS)
def test_a_constant_stays(way: str, graphs: Graphs) -> None:
    name, settings = WAYS[way]
    graphs = with_features(graphs, *symmetric(graphs.adj))
    augmentation = method(name, **settings)
    train = augmentation.fit_extend(graphs.renumbered())
    _, features = augmentation.on_batch(train[[4, 0, 2, 5, 6]].floating()).edge_features()
    assert features.size(1) == 3 and features.isfinite().all()
    torch.testing.assert_close(features[:, 2], torch.ones(len(features)), rtol=1e-4, atol=1e-4)


def test_g_mixup_refuses_in_one_sentence(graphs: Graphs) -> None:
    adj = graphs.adj
    graphs = with_features(graphs, *F.one_hot((adj.row * adj.column) % 4, 4).float().T)
    model = GINE(3, 2, hidden_channels=8, num_layers=1, num_edge_features=4)
    splits = Splits(graphs, graphs, graphs, "accuracy")
    words = r"^G-Mixup draws graphs whose edges have no features, and GINE .* as gin\.$"
    with pytest.raises(SmixupError, match=words):
        fit(
            model,
            splits,
            method("g-mixup"),
            TrainSettings(epochs=1, learning_rate=0.01, batch_size=4),
        )
