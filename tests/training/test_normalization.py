"""A model is tested with the statistics of original graphs, whatever it was trained on."""

from __future__ import annotations

from collections.abc import Callable

import torch

from smixup.classifiers import GCN, GIN
from smixup.graphs import Graphs
from smixup.training.normalization import refresh_statistics


def test_the_model_tests_as_it_trains_on_the_originals(
    make_graphs: Callable[..., Graphs],
) -> None:
    torch.manual_seed(0)
    model, batch = GIN(3, 2, hidden_channels=8), make_graphs([12] * 60)[range(60)]
    for _ in range(3):
        model(batch.replace(x=100 * batch.x))
    model.eval()
    spoilt = model(batch)
    refresh_statistics(model, batch)
    assert not model.training
    found = model(batch)
    model.train()
    expected = model(batch)
    torch.testing.assert_close(found, expected, rtol=0.01, atol=0.01)
    assert (spoilt - expected).abs().max() > 0.1


def test_weights_and_momentum_stay(graphs: Graphs) -> None:
    model = GIN(3, 2, hidden_channels=8)
    before = [parameter.clone() for parameter in model.parameters()]
    refresh_statistics(model, graphs[[0, 4]])
    assert model.training
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert model.layers[0].inner_norm.momentum == 0.1


def test_a_model_without_batch_norm_is_left_alone(graphs: Graphs) -> None:
    model = GCN(3, 2, hidden_channels=8)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    refresh_statistics(model, graphs[[0, 4]])
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
