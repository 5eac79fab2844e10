"""Values are learned standardised, and told in the units of the data."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from smixup.tasks import Values, task_from_dict

Y = torch.tensor([[1.0, 100.0], [3.0, math.nan], [5.0, 300.0], [math.nan, 200.0]])


def test_moments_are_those_of_known_values() -> None:
    task = Values(("a", "b")).fitted(Y)
    assert task.mean == pytest.approx(tuple(np.nanmean(Y.numpy(), 0)))
    assert task.deviation == pytest.approx(tuple(np.nanstd(Y.numpy(), 0)))
    assert task_from_dict(task.to_dict()) == task
    constant = Values(("a",)).fitted(torch.full((3, 1), 7.0))
    assert constant.deviation == (1.0,), "a constant is no reason to divide by zero"


def test_the_loss_is_zero_where_the_prediction_is_right() -> None:
    task = Values(("a", "b")).fitted(Y)
    outputs = (Y.nan_to_num() - torch.tensor(task.mean)) / torch.tensor(task.deviation)
    assert float(task.loss(outputs, Y)) == pytest.approx(0, abs=1e-6)
    known = ~Y.isnan()
    assert torch.allclose(task.predicted(outputs)[known], Y[known])
    one_off = outputs.clone()
    one_off[0, 0] += 2  # standardised units
    assert float(task.loss(one_off, Y)) == pytest.approx(4 / 6, abs=1e-5)


def test_strata_are_tenths_of_the_first_value() -> None:
    y = torch.cat([torch.arange(100.0)[torch.randperm(100)], torch.tensor([math.nan])])
    strata = Values(("a",)).strata(y.unsqueeze(1))
    assert strata.bincount().tolist() == [10] * 10 + [1]
    assert (strata[:100] == (y[:100] // 10).long()).all()
