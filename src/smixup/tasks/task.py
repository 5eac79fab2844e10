"""What is asked of a graph: one of several classes, several labels, or values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError
from smixup.settings import Finite, NotNegative, Positive, RangedFields

ClassName: TypeAlias = "str | int | float | bool"
BINS = 10


class Task(ABC, RangedFields):
    """What is asked of a graph. Subclasses are frozen dataclasses whose fields are plain values, so
    that a task is kept as JSON beside a model.

    Shapes: G graphs, C columns of targets `y [G, C]`, as many outputs of the model.

    Attributes:
        kind: the name under which a task is asked for and kept.
        names: of the classes, labels or quantities, in the order of the columns.
        metrics: names of the metrics that suit (`training/metrics.py`), the usual one first.
    """

    kind: ClassVar[str]
    names: tuple[Any, ...]
    metrics: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            if isinstance(value := getattr(self, field.name), list):  # as JSON has it
                object.__setattr__(self, field.name, tuple(value))
        super().__post_init__()

    @property
    def width(self) -> int:
        """How many outputs a model has, C."""
        return len(self.names)

    @abstractmethod
    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the mean loss of outputs `[G, C]`; unknown targets (NaN) count for nothing."""

    @abstractmethod
    def predicted(self, outputs: Tensor) -> Tensor:
        """Turn outputs `[G, C]` into probabilities, or into values in the units of the data."""

    def truth(self, y: Tensor) -> Tensor:
        """Return targets as metrics take them: class numbers `[G]`, or `y` itself."""
        return y

    @abstractmethod
    def strata(self, y: Tensor) -> Tensor:
        """Return a number for every graph `[G]`, of which splits should hold equal shares."""

    @abstractmethod
    def fitted(self, y: Tensor) -> Self:
        """Return the task with what it has to know of the training targets `y [G, C]`."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `task_from_dict` reads."""
        return {"kind": self.kind, **asdict(self)}  # type: ignore[call-overload]


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

    @classmethod
    def numbered(cls, number: int) -> Self:
        """Return classes that have no other names than 0, 1, 2, ..."""
        return cls(tuple(range(number)))

    @classmethod
    def among(cls, values: Sequence[ClassName]) -> Self:
        """Return the classes that occur, in order."""
        return cls(tuple(sorted(set(values), key=lambda name: (str(type(name)), name))))

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
        weights = None if self.weights is None else outputs.new_tensor(self.weights)
        return F.cross_entropy(outputs, y, weights)

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs.softmax(1)

    def truth(self, y: Tensor) -> Tensor:
        return y.argmax(1)

    def strata(self, y: Tensor) -> Tensor:
        return y.argmax(1)

    def fitted(self, y: Tensor) -> Self:
        if not self.balanced:
            return self
        # All together count for as much as before; a class without a graph counts for nothing.
        counts = y.sum(0).double()
        shares = float(counts.sum()) / (float((counts > 0).sum()) * counts.clamp(min=1e-12))
        return replace(self, weights=tuple(torch.where(counts > 0, shares, 0.0).tolist()))


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

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        known = ~y.isnan()
        losses = F.binary_cross_entropy_with_logits(
            outputs, torch.where(known, y, 0.0).to(outputs.dtype), reduction="none"
        )
        if self.weights is not None:
            positive = losses.new_tensor(self.weights)
            losses = losses * torch.where(known, 1 + (positive - 1) * y, 0.0)
        return (losses * known).sum() / known.sum().clamp(min=1)

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs.sigmoid()

    def strata(self, y: Tensor) -> Tensor:
        """Graphs go by the rarest label that they have; 0 is none."""
        holds = (y == 1).long()
        order = holds.sum(0).argsort(stable=True)  # the rarest first
        return torch.where(holds.any(1), order[holds[:, order].argmax(1)] + 1, 0)

    def fitted(self, y: Tensor) -> Self:
        if not self.balanced:
            return self
        positive, negative = (y == 1).sum(0).double(), (y == 0).sum(0).double()
        ratio = torch.where(positive > 0, negative / positive.clamp(min=1), 1.0)
        return replace(self, weights=tuple(ratio.clamp(min=1e-6).tolist()))


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
    deviation: tuple[Positive, ...] = ()

    kind: ClassVar[str] = "values"
    metrics: ClassVar[tuple[str, ...]] = ("mae", "rmse", "r2")

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", self.mean or (0.0,) * self.width)
        object.__setattr__(self, "deviation", self.deviation or (1.0,) * self.width)
        super().__post_init__()

    def loss(self, outputs: Tensor, y: Tensor) -> Tensor:
        known = ~y.isnan()
        target = (y - outputs.new_tensor(self.mean)) / outputs.new_tensor(self.deviation)
        error = outputs - torch.where(known, target, 0.0)
        return (error.square() * known).sum() / known.sum().clamp(min=1)

    def predicted(self, outputs: Tensor) -> Tensor:
        return outputs * outputs.new_tensor(self.deviation) + outputs.new_tensor(self.mean)

    def strata(self, y: Tensor) -> Tensor:
        """Graphs go by the tenth in which their first value lies, or have none."""
        first = y[:, 0]
        known = ~first.isnan()
        number = int(known.sum())
        bins = max(min(BINS, number // BINS), 1)
        rank = torch.full_like(first, bins, dtype=torch.long)
        rank[known] = first[known].argsort(stable=True).argsort() * bins // max(number, 1)
        return rank

    def fitted(self, y: Tensor) -> Self:
        mean = y.double().nanmean(0).nan_to_num()  # of nothing, 0
        deviation = (y.double() - mean).square().nanmean(0).sqrt()
        deviation = torch.where(deviation > 0, deviation, 1.0)
        return replace(self, mean=tuple(mean.tolist()), deviation=tuple(deviation.tolist()))


KINDS: dict[str, type[Classes] | type[Labels] | type[Values]] = {
    kind.kind: kind for kind in (Classes, Labels, Values)
}


def task_from_dict(saved: Mapping[str, Any]) -> Task:
    """Return the task that `Task.to_dict` wrote."""
    fields = dict(saved)
    try:
        return KINDS[fields.pop("kind")](**fields)
    except (KeyError, TypeError, ValueError) as reason:
        raise SmixupError(f"this is no task that smixup knows ({reason}).") from reason


def task_of_targets(width: int, has_classes: bool) -> Task:
    """Return the task of targets of `width` columns of which nothing else is known: shares
    of classes, or values. A float is never taken for a class.
    """
    if has_classes:
        return Classes.numbered(width)
    return Values(tuple(f"target {place}" for place in range(width)))
