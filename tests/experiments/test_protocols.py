"""Training anew on more graphs is two trainings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from experiments.protocols import fit_refitted
from smixup import Identity, SMixup
from smixup.classifiers import GIN, Classifier
from smixup.graphs import Graphs
from smixup.training import Splits, TrainSettings, fit

SETTINGS = TrainSettings(epochs=4, learning_rate=0.01, batch_size=16, seed=5, selection="last")


def fresh() -> Classifier:
    torch.manual_seed(0)
    return GIN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2)


def mixing() -> SMixup:
    return SMixup(Identity(partial=True), seed=0)


def test_training_anew_is_two_fits(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 4, 6] * 20)
    splits = Splits(graphs[range(40)], graphs[range(40, 50)], graphs[range(50, 60)])
    first = fit(fresh(), splits, mixing(), SETTINGS)
    chosen = replace(SETTINGS, epochs=first.history.best_epoch)
    second = fit(fresh(), replace(splits, train=graphs[range(50)]), mixing(), chosen)
    both = fit_refitted(fresh(), splits, mixing, SETTINGS)
    assert torch.equal(both.test.logits, second.test.logits)
    assert torch.equal(both.validation.logits, first.validation.logits)
    assert both.history.curves["validation"] == first.history.curves["validation"]
    for name in ("test", "test_loss"):
        assert getattr(both.history, name) == getattr(second.history, name)
