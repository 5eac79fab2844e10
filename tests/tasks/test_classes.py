"""Classes keep their names; the loss is the cross-entropy, weighted if rare ones shall count."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.utils.class_weight import compute_class_weight

from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, task_from_dict


def test_names_of_any_kind_are_kept_in_order() -> None:
    assert Classes.among(["b", "a", "b"]).names == ("a", "b")
    assert Classes.among([10, 9]).names == (9, 10), "numbers, not text"
    assert Classes.among([True, False]).names == (False, True)
    assert Classes(("x", "y")).encoded(["y"]).tolist() == [[0.0, 1.0]]
    with pytest.raises(SmixupError, match="'z' of graph 1 is none of the classes x, y"):
        Classes(("x", "y")).encoded(["x", "z"])


def test_loss_is_cross_entropy() -> None:
    outputs, y = torch.randn(5, 3), torch.rand(5, 3).softmax(1)
    task = Classes.numbered(3)
    assert torch.equal(task.loss(outputs, y), F.cross_entropy(outputs, y))
    assert torch.equal(task.predicted(outputs), outputs.softmax(1))
    assert torch.equal(task.truth(y), y.argmax(1))
    assert task.fitted(y) is task


def test_balanced_weights_are_those_of_scikit_learn() -> None:
    labels = [0] * 8 + [1] * 2
    y = F.one_hot(torch.tensor(labels)).float()
    task = Classes.numbered(2)
    task = Classes(task.names, balanced=True).fitted(y)
    expected = compute_class_weight("balanced", classes=np.array([0, 1]), y=labels)
    assert task.weights == pytest.approx(tuple(expected))
    # A model that knows nothing pays as much as without weights.
    assert float(task.loss(torch.zeros(10, 2), y)) == pytest.approx(0.6931, abs=1e-4)
    absent = Classes.numbered(3)
    absent = Classes(absent.names, balanced=True).fitted(F.pad(y, (0, 1)))
    assert absent.weights is not None and absent.weights[2] == 0


def test_weights_are_checked_and_kept() -> None:
    task = Classes(("a", "b"), weights=(1.0, 2.0))
    assert task_from_dict(task.to_dict()) == task
    with pytest.raises(UsageError, match="number of class weights"):
        Classes(("a", "b"), weights=(1.0,))
