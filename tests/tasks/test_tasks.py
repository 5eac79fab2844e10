"""What is asked of graphs: classes, labels or values; their losses by hand, and what they keep."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.utils.class_weight import compute_class_weight
from torch import Tensor

from smixup.errors import SmixupError
from smixup.tasks import KINDS, Classes, Labels, Task, Values, task_from_dict, task_of_targets
from smixup.training.metrics import METRICS

NAN = math.nan
TARGETS: dict[str, tuple[Task, Tensor]] = {
    "classes": (Classes(("a", "b")), torch.tensor([[1.0, 0], [0, 1], [1, 0], [1, 0]])),
    "labels": (Labels(("a", "b")), torch.tensor([[1.0, 0], [0, 0], [NAN, 1], [1, 1]])),
    "values": (Values(("a", "b")), torch.tensor([[0.5, 9], [1.5, NAN], [2.5, 7], [3.5, 8]])),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_what_every_task_answers(kind: str) -> None:
    task, y = TARGETS[kind]
    outputs, fitted = torch.linspace(-1, 1, 8).reshape(4, 2), task.fitted(y)
    assert KINDS[kind] is type(task) and set(KINDS) == set(TARGETS)
    assert fitted.width == len(fitted.names) == 2
    assert fitted.loss(outputs, y).shape == () and not fitted.loss(outputs, y).isnan()
    assert fitted.predicted(outputs).shape == outputs.shape
    truth = fitted.truth(y)
    assert truth is y or truth.tolist() == [0, 1, 0, 0]
    strata = fitted.strata(y)
    assert (strata.shape, strata.is_floating_point()) == ((4,), False)
    unknown = torch.where(y.isnan(), outputs + 100, outputs)
    assert torch.equal(fitted.loss(outputs, y), fitted.loss(unknown, y)), "counts for nothing"
    for name in task.metrics:
        score = METRICS[name].of_classes if kind == "classes" else METRICS[name].of_columns
        assert score is not None, name
    kept = json.loads(json.dumps(fitted.to_dict()))
    assert kept["kind"] == kind and task_from_dict(kept) == fitted
    with pytest.raises(FrozenInstanceError):
        task.names = ("c", "d")  # type: ignore[misc]


def test_what_is_not_said_is_classes_or_values() -> None:
    assert task_of_targets(3, has_classes=True) == Classes((0, 1, 2))
    assert task_of_targets(2, has_classes=False) == Values(("target 0", "target 1"))


def test_classes_keep_their_names_and_the_loss_is_the_cross_entropy() -> None:
    assert Classes.among(["b", "a", "b"]).names == ("a", "b")
    assert Classes.among([10, 9]).names == (9, 10), "numbers, not text"
    assert Classes.among([True, False]).names == (False, True)
    assert Classes(("x", "y")).encoded(["y"]).tolist() == [[0.0, 1.0]]
    outputs, y, task = torch.randn(5, 3), torch.rand(5, 3).softmax(1), Classes.numbered(3)
    assert torch.equal(task.loss(outputs, y), F.cross_entropy(outputs, y))
    assert torch.equal(task.predicted(outputs), outputs.softmax(1))
    assert torch.equal(task.truth(y), y.argmax(1)) and task.fitted(y) is task
    labels = [0] * 8 + [1] * 2
    y = F.one_hot(torch.tensor(labels)).float()
    task = Classes((0, 1), balanced=True).fitted(y)
    expected = compute_class_weight("balanced", classes=np.array([0, 1]), y=labels)
    assert task.weights == pytest.approx(tuple(expected)) and task_from_dict(task.to_dict()) == task
    ignorant = float(task.loss(torch.zeros(10, 2), y))
    assert ignorant == pytest.approx(math.log(2), abs=1e-4), "as much as without weights"
    absent = Classes((0, 1, 2), balanced=True).fitted(F.pad(y, (0, 1)))
    assert absent.weights is not None and absent.weights[2] == 0


def test_labels_that_are_not_known_count_for_nothing() -> None:
    outputs = torch.randn(4, 2, requires_grad=True)
    y = torch.tensor([[1.0, NAN], [0.0, 1.0], [NAN, NAN], [0.5, 0.0]])
    known, loss = ~y.isnan(), Labels(("a", "b")).loss(outputs, y)
    expected = F.binary_cross_entropy_with_logits(outputs[known], y[known])
    assert loss.item() == pytest.approx(expected.item(), abs=1e-6)
    loss.backward()
    assert outputs.grad is not None and outputs.grad.isfinite().all()
    assert not outputs.grad[~known].any()
    assert float(Labels(("a",)).loss(torch.zeros(2, 1), torch.full((2, 1), NAN))) == 0
    y = torch.tensor([[1.0], [0.0], [0.0], [0.0], [NAN]])
    task, weight = Labels(("a",), balanced=True).fitted(y), torch.tensor([3.0])
    expected = F.binary_cross_entropy_with_logits(torch.ones(4, 1), y[:4], pos_weight=weight)
    assert task.weights == (3.0,)
    assert float(task.loss(torch.ones(5, 1), y)) == pytest.approx(float(expected), abs=1e-6)
    y = torch.tensor([[1.0, 1.0], [1.0, 0.0], [1.0, NAN], [0.0, 0.0], [NAN, NAN]])
    assert Labels(("often", "rare")).strata(y).tolist() == [2, 1, 1, 0, 0]


def test_values_are_learned_standardised_and_told_in_the_units_of_the_data() -> None:
    y = torch.tensor([[1.0, 100.0], [3.0, NAN], [5.0, 300.0], [NAN, 200.0]])
    task, known = Values(("a", "b")).fitted(y), ~y.isnan()
    assert task.mean == pytest.approx(tuple(np.nanmean(y.numpy(), 0)))
    assert task.deviation == pytest.approx(tuple(np.nanstd(y.numpy(), 0)))
    assert Values(("a",)).fitted(torch.full((3, 1), 7.0)).deviation == (1.0,)
    outputs = (y.nan_to_num() - torch.tensor(task.mean)) / torch.tensor(task.deviation)
    assert float(task.loss(outputs, y)) == pytest.approx(0, abs=1e-6)
    assert torch.allclose(task.predicted(outputs)[known], y[known])
    outputs[0, 0] += 2  # standardised units
    assert float(task.loss(outputs, y)) == pytest.approx(4 / 6, abs=1e-5)
    first = torch.cat([torch.arange(100.0)[torch.randperm(100)], torch.tensor([NAN])])
    strata = Values(("a",)).strata(first.unsqueeze(1))
    assert strata.bincount().tolist() == [10] * 10 + [1]
    assert (strata[:100] == (first[:100] // 10).long()).all()


def test_what_is_no_task_is_refused() -> None:
    with pytest.raises(SmixupError, match="'z' of graph 1 is none of the classes x"):
        Classes(("x", "y")).encoded(["x", "z"])
    for wrong in ({}, {"kind": "ranks"}, {"kind": "labels", "colour": 1}):
        with pytest.raises(SmixupError, match="no task that smixup knows"):
            task_from_dict(wrong)
