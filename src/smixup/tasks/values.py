"""Values: regression on one quantity or many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import torch
from torch import Tensor

from smixup.ranges import Finite, PositiveFinite
from smixup.tasks.base import Task

BINS = 10


@dataclass(frozen=True)
class Values(Task):
    """Every graph has values, `y [G, T]` in the units of the data, NaN where one is not known.

    A model puts out standardised values, so that quantities of any size learn alike; the loss is
    the squared error of these.

    Attributes:
        names: of the quantities.
        mean, deviation: of the training targets; 0 and 1 before `fitted`.

    >>> task = Values(("energy",)).fitted(torch.tensor([[10.0], [30.0]]))
    >>> task.predicted(torch.tensor([[0.0], [1.0]])).flatten().tolist()
    [20.0, 30.0]
    """

    names: tuple[str, ...]
    mean: tuple[Finite, ...] = ()
    deviation: tuple[PositiveFinite, ...] = ()

    kind: ClassVar[str] = "values"
    metrics: ClassVar[tuple[str, ...]] = ("mae", "rmse", "r2")

    def __post_init__(self) -> None:
        number = len(self.names)
        object.__setattr__(self, "names", tuple(self.names))  # JSON has lists
        object.__setattr__(self, "mean", tuple(self.mean) or (0.0,) * number)
        object.__setattr__(self, "deviation", tuple(self.deviation) or (1.0,) * number)
        super().__post_init__()

    @property
    def width(self) -> int:
        return len(self.names)

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        known = ~y.isnan()
        target = (y - outputs.new_tensor(self.mean)) / outputs.new_tensor(self.deviation)
        error = outputs - torch.where(known, target, 0.0)
        return (error.square() * known).sum() / known.sum().clamp(min=1)

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs * outputs.new_tensor(self.deviation) + outputs.new_tensor(self.mean)

    def truth(self, y: Tensor) -> Tensor:
        return y

    def strata(self, y: Tensor) -> Tensor:
        """Graphs go by the tenth in which their first value lies; those without one by
        themselves.
        """
        first = y[:, 0]
        known = ~first.isnan()
        bins = max(min(BINS, int(known.sum()) // BINS), 1)
        rank = torch.full_like(first, bins, dtype=torch.long)
        rank[known] = first[known].argsort(stable=True).argsort() * bins // max(int(known.sum()), 1)
        return rank

    def fitted(self, y: Tensor) -> Self:
        known = ~y.isnan()
        count = known.sum(0).clamp(min=1)
        numbers = torch.where(known, y, 0.0).double()
        mean = numbers.sum(0) / count
        apart = torch.where(known, numbers - mean, 0.0)
        deviation = (apart.square().sum(0) / count).sqrt()
        deviation = torch.where(deviation > 0, deviation, 1.0)
        return replace(self, mean=tuple(mean.tolist()), deviation=tuple(deviation.tolist()))
