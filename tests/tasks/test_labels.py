"""Labels that are not known count for nothing."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from smixup.tasks import Labels, task_from_dict

NAN = math.nan


def test_loss_is_the_mean_over_known_labels() -> None:
    outputs = torch.randn(4, 2, requires_grad=True)
    y = torch.tensor([[1.0, NAN], [0.0, 1.0], [NAN, NAN], [0.5, 0.0]])
    known = ~y.isnan()
    expected = F.binary_cross_entropy_with_logits(outputs[known], y[known])
    loss = Labels(("a", "b")).loss(outputs, y)
    assert loss.item() == pytest.approx(expected.item(), abs=1e-6)
    loss.backward()
    assert outputs.grad is not None and outputs.grad.isfinite().all()
    assert (outputs.grad[~known] == 0).all()
    assert float(Labels(("a",)).loss(torch.zeros(2, 1), torch.full((2, 1), NAN))) == 0


def test_balanced_labels_weigh_as_much_with_as_without() -> None:
    y = torch.tensor([[1.0], [0.0], [0.0], [0.0], [NAN]])
    task = Labels(("a",), balanced=True).fitted(y)
    assert task.weights == (3.0,)
    expected = F.binary_cross_entropy_with_logits(
        torch.ones(4, 1), y[:4], pos_weight=torch.tensor([3.0])
    )
    assert float(task.loss(torch.ones(5, 1), y)) == pytest.approx(float(expected), abs=1e-6)
    assert task_from_dict(task.to_dict()) == task


def test_strata_go_by_the_rarest_label() -> None:
    y = torch.tensor([[1.0, 1.0], [1.0, 0.0], [1.0, NAN], [0.0, 0.0], [NAN, NAN]])
    assert Labels(("often", "rare")).strata(y).tolist() == [2, 1, 1, 0, 0]
