"""Several labels, each of which holds or not, or is not known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.ranges import NotNegative
from smixup.tasks.base import Task


@dataclass(frozen=True)
class Labels(Task):
    """Every label holds (1), does not (0), or is not known (NaN): `y [G, T]`.

    Attributes:
        names: of the labels.
        balanced: whether the graphs with a label count, together, as much as those without it.
        weights: what a graph with the label counts for, where one without it counts 1; None is one
            each. `fitted` sets them if `balanced`.

    >>> import math
    >>> y = torch.tensor([[1.0, math.nan]])
    >>> round(float(Labels(("toxic", "soluble")).loss(torch.zeros(1, 2), y)), 4)
    0.6931
    """

    names: tuple[str, ...]
    balanced: bool = False
    weights: tuple[NotNegative, ...] | None = None

    kind: ClassVar[str] = "labels"
    metrics: ClassVar[tuple[str, ...]] = ("rocauc", "ap", "accuracy", "balanced-accuracy")

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))  # JSON has lists
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(self.weights))
            super().__post_init__()

    @property
    def width(self) -> int:
        return len(self.names)

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        known = ~y.isnan()
        each = F.binary_cross_entropy_with_logits(
            outputs, torch.where(known, y, 0.0).to(outputs.dtype), reduction="none"
        )
        if self.weights is not None:
            positive = torch.tensor(self.weights, dtype=each.dtype, device=each.device)
            each = each * torch.where(known, 1 + (positive - 1) * y, 0.0)
        return (each * known).sum() / known.sum().clamp(min=1)

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs.sigmoid()

    def truth(self, y: Tensor) -> Tensor:
        return y

    def strata(self, y: Tensor) -> Tensor:
        """Graphs go by the rarest label that they have; 0 is none."""
        holds = (y == 1).long()
        counts = holds.sum(0)
        order = counts.argsort(stable=True)  # the rarest first
        first = holds[:, order].argmax(1)
        return torch.where(holds.any(1), order[first] + 1, 0)

    def fitted(self, y: Tensor) -> Self:
        if not self.balanced:
            return self
        positive, negative = (y == 1).sum(0).double(), (y == 0).sum(0).double()
        ratio = torch.where(positive > 0, negative / positive.clamp(min=1), 1.0)
        return replace(self, weights=tuple(ratio.clamp(min=1e-6).tolist()))
