"""What every task answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any, ClassVar, Self

from torch import Tensor

from smixup.ranges import RangedFields


class Task(ABC, RangedFields):
    """What is asked of a graph. Subclasses are frozen dataclasses whose fields are plain values, so
    that a task is kept as JSON beside a model.

    Shapes: G graphs, C columns of targets `y [G, C]`, as many outputs of the model.
    """

    kind: ClassVar[str]
    """The name under which a task is asked for and kept."""

    names: tuple[Any, ...]
    """Of the classes, labels or quantities, in the order of the columns."""

    metrics: ClassVar[tuple[str, ...]]
    """Names of the metrics that suit (`training/metrics.py`), the usual one first."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many outputs a model has, C."""

    @abstractmethod
    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the mean loss of outputs `[G, C]`; targets that are not known (NaN) count for
        nothing.
        """

    @abstractmethod
    def predicted(self, outputs: Tensor) -> Tensor:
        """Turn outputs `[G, C]` into probabilities, or into values in the units of the data."""

    @abstractmethod
    def truth(self, y: Tensor) -> Tensor:
        """Return targets as metrics take them: class numbers `[G]`, or `y` itself."""

    @abstractmethod
    def strata(self, y: Tensor) -> Tensor:
        """Return a number for every graph `[G]`, such that splits should hold equal shares of every
        number.
        """

    def fitted(self, y: Tensor) -> Self:
        """Return the task with what it has to know of the training targets `y [G, C]`."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return what `task_from_dict` reads."""
        return {"kind": self.kind, **asdict(self)}  # type: ignore[call-overload]
