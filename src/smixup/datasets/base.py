"""What every source of data returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from smixup.graphs import Graphs


@dataclass(frozen=True)
class Split:
    """Positions of the graphs to train on, to choose the model by, and to report."""

    train: Tensor
    validation: Tensor
    test: Tensor


@dataclass(frozen=True)
class Dataset:
    """Graphs as their publisher gives them.

    Attributes:
        name: the publisher's name.
        graphs: all graphs; `x` has width zero where the publisher gives no node features.
        metric: what is reported, `accuracy` or `rocauc`.
        split: the publisher's own split, where there is one.
        unused_attributes: how many continuous attributes of a node the publisher gives that are
            not among its features.
    """

    name: str
    graphs: Graphs
    metric: str = "accuracy"
    split: Split | None = None
    unused_attributes: int = 0
