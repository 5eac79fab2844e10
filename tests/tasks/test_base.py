"""What every task answers, and what comes with the base class."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, dataclass
from typing import ClassVar

import pytest
import torch
from torch import Tensor

from smixup.tasks import KINDS, Classes, Labels, Task, Values
from smixup.training.metrics import METRICS

NAN = math.nan
TARGETS = {
    "classes": torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]),
    "labels": torch.tensor([[1.0, 0.0], [0.0, 0.0], [NAN, 1.0], [1.0, 1.0]]),
    "values": torch.tensor([[0.5, 9.0], [1.5, NAN], [2.5, 7.0], [3.5, 8.0]]),
}
EVERY = pytest.mark.parametrize(
    "task",
    [Classes(("a", "b")), Labels(("a", "b")), Values(("a", "b"))],
    ids=lambda task: task.kind,
)


@dataclass(frozen=True)
class Longest(Task):
    """A task of somebody's own, with no more than is asked for."""

    names: tuple[str, ...]

    kind: ClassVar[str] = "longest"
    metrics: ClassVar[tuple[str, ...]] = ("mae",)

    @property
    def width(self) -> int:
        return len(self.names)

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        return (outputs - y).abs().mean()

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs

    def truth(self, y: Tensor) -> Tensor:
        return y

    def strata(self, y: Tensor) -> Tensor:
        return torch.zeros(len(y), dtype=torch.long)


def test_all_kinds_are_here() -> None:
    assert set(TARGETS) == set(KINDS)


@EVERY
def test_shapes(task: Task) -> None:
    y = TARGETS[task.kind]
    outputs = torch.linspace(-1, 1, 8).reshape(4, 2)
    fitted = task.fitted(y)
    assert fitted.width == len(fitted.names) == y.size(1)
    assert fitted.loss(outputs, y).shape == ()
    assert fitted.predicted(outputs).shape == outputs.shape
    truth = fitted.truth(y)
    classes = torch.tensor([0, 1, 0, 0])
    assert torch.equal(truth, classes) if task.kind == "classes" else truth is y
    strata = fitted.strata(y)
    assert (strata.shape, strata.is_floating_point()) == ((4,), False)


@pytest.mark.parametrize(
    "task", [Labels(("a", "b")), Values(("a", "b"))], ids=lambda task: task.kind
)
def test_what_is_not_known_counts_for_nothing(task: Task) -> None:
    y = TARGETS[task.kind]
    fitted = task.fitted(y)
    outputs = torch.linspace(-1, 1, 8).reshape(4, 2)
    other = torch.where(y.isnan(), outputs + 100, outputs)
    assert float(fitted.loss(outputs, y)) == float(fitted.loss(other, y))
    assert not fitted.loss(outputs, y).isnan()
    assert float(fitted.loss(outputs + 100, y)) != float(fitted.loss(outputs, y))


@EVERY
def test_metrics_are_known_and_suit(task: Task) -> None:
    for name in task.metrics:
        score = METRICS[name].of_classes if task.kind == "classes" else METRICS[name].of_columns
        assert score is not None, name


@EVERY
def test_a_task_is_kept_as_plain_values_and_never_changed(task: Task) -> None:
    kept = task.fitted(TARGETS[task.kind]).to_dict()
    assert kept["kind"] == task.kind
    assert json.loads(json.dumps(kept)).keys() == kept.keys()
    with pytest.raises(FrozenInstanceError):
        task.names = ("c", "d")


def test_a_task_of_ones_own_has_nothing_to_learn_and_can_be_kept() -> None:
    task = Longest(("path",))
    assert task.fitted(torch.ones(3, 1)) is task
    assert task.to_dict() == {"kind": "longest", "names": ("path",)}


@pytest.mark.parametrize("name", ["width", "loss", "predicted", "truth", "strata"])
def test_every_task_answers_every_question(name: str) -> None:
    silent = type("Silent", (Longest,), {name: getattr(Task, name)})
    with pytest.raises(TypeError, match=name):
        silent(("path",))
