"""One class among the training graphs is worth a word."""

from __future__ import annotations

import warnings

import pytest
import torch

from smixup.augment import Augmentation
from smixup.classifiers import GCN
from smixup.graphs import Graphs, SparseOperator
from smixup.training import Splits, TrainSettings, fit
from smixup.training.one_class import warn_of_one_class


def singles(y: list[list[float]], has_classes: bool = True) -> Graphs:
    """Graphs of a node each."""
    n = len(y)
    adj = SparseOperator.from_edges(torch.zeros(2, 0, dtype=torch.long), torch.ones(0), n)
    ptr = torch.arange(n + 1)
    return Graphs(torch.ones(n, 2), adj, torch.tensor(y), ptr, has_classes=has_classes)


@pytest.mark.parametrize("y", [[[0.0, 1.0]], [[0.0, 1.0]] * 5])
def test_one_class_is_named(y: list[list[float]]) -> None:
    with pytest.warns(UserWarning, match="one class among the training graphs, number 1: they"):
        warn_of_one_class(singles(y))


@pytest.mark.parametrize(
    "graphs",
    [
        singles([[0.0, 1.0], [1.0, 0.0]]),
        singles([[2.0], [2.0]], has_classes=False),
    ],
)
def test_two_classes_and_values_are_as_they_should_be(graphs: Graphs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_one_class(graphs)


def test_training_says_so() -> None:
    graphs = singles([[0.0, 1.0]] * 4)
    with pytest.warns(UserWarning, match="a score says nothing about the model"):
        fit(
            GCN(2, 2, hidden_channels=4),
            Splits(graphs, graphs, graphs),
            Augmentation(),
            TrainSettings(1, 0.01, 2),
        )
