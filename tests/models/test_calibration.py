"""Temperatures make probabilities right; levels that cannot be are refused."""

from __future__ import annotations

import math

import pytest
import torch

from smixup.errors import UsageError
from smixup.models.calibration import Calibration, best_label_temperature
from smixup.tasks import Classes, Labels, Values
from smixup.training.evaluation import Outputs
from smixup.training.outcomes import best_temperature


def test_the_temperature_of_classes_is_that_of_the_validation_split() -> None:
    random = torch.Generator().manual_seed(0)
    outputs = Outputs(torch.randn(50, 3, generator=random), torch.eye(3)[torch.arange(50) % 3])
    found = Calibration.of(outputs, Classes.numbered(3))
    assert found.temperature == best_temperature(outputs)
    torch.testing.assert_close(found.scaled(outputs.logits), outputs.logits / found.temperature)
    own = (outputs.logits / found.temperature).log_softmax(1)[outputs.y.bool()]
    torch.testing.assert_close(found.scores.flatten().float(), -own)


def test_the_temperature_of_labels_is_found_again() -> None:
    random = torch.Generator().manual_seed(0)
    honest = torch.randn(20000, 2, generator=random) * 2
    y = torch.bernoulli(honest.sigmoid(), generator=random)
    y[::3, 1] = math.nan
    assert best_label_temperature(3 * honest, y) == pytest.approx(3, rel=0.05)
    assert best_label_temperature(honest[:0], y[:0]) == 1.0


def test_numbers_of_graphs_and_levels() -> None:
    y = torch.tensor([[1.0, math.nan]] * 9 + [[0.0, 1.0]])
    found = Calibration.of(Outputs(torch.zeros(10, 2), y), Labels(("a", "b")))
    assert found.numbers == [10, 1]
    assert found.can(0.5)
    assert not found.can(0.6)
    with pytest.raises(UsageError, match="need 9 validation graphs, and this model has 1: ask"):
        found.require(0.9)
    with pytest.raises(UsageError, match="level must be above 0 and below 1, not 1"):
        found.require(1)


def test_values_have_no_temperature() -> None:
    task = Values(("a",), mean=(10.0,), deviation=(2.0,))
    found = Calibration.of(Outputs(torch.tensor([[1.0]]), torch.tensor([[15.0]])), task)
    assert found.temperature == 1.0
    assert found.scores.tolist() == [[3.0]]
