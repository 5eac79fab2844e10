"""One of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError, require
from smixup.ranges import NotNegative
from smixup.tasks.base import Task

ClassName: TypeAlias = "str | int | float | bool"


@dataclass(frozen=True)
class Classes(Task):
    """Every graph is of one class; `y [G, C]` holds shares of classes, one-hot where the class is
    known, soft in a mix.

    Attributes:
        names: of the classes, in the order of the columns.
        balanced: whether rare classes count as much as frequent ones.
        weights: what a graph of each class counts for; None is one each. `fitted` sets them if
            `balanced`.

    >>> task = Classes(("ring", "star"))
    >>> task.encoded(["star", "ring"])
    tensor([[0., 1.],
            [1., 0.]])
    """

    names: tuple[ClassName, ...]
    balanced: bool = False
    weights: tuple[NotNegative, ...] | None = None

    kind: ClassVar[str] = "classes"
    metrics: ClassVar[tuple[str, ...]] = ("accuracy", "balanced-accuracy", "rocauc", "ap")

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))  # JSON has lists
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(self.weights))
            super().__post_init__()
            require(
                len(self.weights) == len(self.names),
                "number of class weights",
                len(self.weights),
                f"{len(self.names)}, one for each class",
            )

    @classmethod
    def numbered(cls, number: int) -> Self:
        """Return classes that have no other names than 0, 1, 2, ..."""
        return cls(tuple(range(number)))

    @classmethod
    def among(cls, values: Sequence[ClassName]) -> Self:
        """Return the classes that occur, in order."""
        return cls(tuple(sorted(set(values), key=lambda name: (str(type(name)), name))))

    @property
    def width(self) -> int:
        return len(self.names)

    def encoded(self, values: Sequence[ClassName]) -> Tensor:
        """Return names of classes as targets `[G, C]`."""
        place = {name: index for index, name in enumerate(self.names)}
        for row, value in enumerate(values):
            if value not in place:
                known = ", ".join(map(str, self.names[:10]))
                raise SmixupError(f"'{value}' of graph {row} is none of the classes {known}.")
        numbers = torch.tensor([place[value] for value in values], dtype=torch.long)
        return F.one_hot(numbers, self.width).float()

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        if self.weights is None:
            return F.cross_entropy(outputs, y)
        return F.cross_entropy(outputs, y, torch.tensor(self.weights, device=outputs.device))

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs.softmax(1)

    def truth(self, y: Tensor) -> Tensor:
        return y.argmax(1)

    def strata(self, y: Tensor) -> Tensor:
        return y.argmax(1)

    def fitted(self, y: Tensor) -> Self:
        """Weigh the classes, if asked for: all together count for as much as before, and each as
        much as any other. A class without a graph counts for nothing.
        """
        if not self.balanced:
            return self
        counts = y.sum(0).double()
        shares = float(counts.sum()) / (float((counts > 0).sum()) * counts.clamp(min=1e-12))
        return replace(self, weights=tuple(torch.where(counts > 0, shares, 0.0).tolist()))
