"""Probabilities of members are averaged; a single member stays as it is."""

from __future__ import annotations

import pytest
import torch

from smixup.errors import SmixupError
from smixup.models.ensemble import together
from smixup.tasks import Classes, Labels, Task, Values


@pytest.mark.parametrize("task", [Classes.numbered(3), Labels(("a", "b", "c"))])
def test_probabilities_are_averaged(task: Task) -> None:
    members = list(torch.randn(4, 5, 3, generator=torch.Generator().manual_seed(0)) * 5)
    expected = torch.stack([task.predicted(each) for each in members]).mean(0)
    torch.testing.assert_close(task.predicted(together(task, members)), expected)


def test_sure_members_stay_finite() -> None:
    sure = [torch.tensor([[200.0, -200.0]])] * 2
    for task in (Classes.numbered(2), Labels(("a", "b"))):
        assert together(task, sure).isfinite().all()


def test_values_are_averaged_and_one_member_is_itself() -> None:
    task, one = Values(("a",)), torch.tensor([[0.1]])
    assert together(task, [one]) is one
    assert together(task, [one, one + 2]).item() == pytest.approx(1.1)
    with pytest.raises(SmixupError, match="one model at least"):
        together(task, [])
