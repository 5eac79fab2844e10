"""Methods that mix pairs of the training split once, and put the mixes behind it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from torch import Tensor

from smixup.augment.base import StructuralAugmentation
from smixup.augment.pairing import draw_any
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.ranges import Range
from smixup.warning import warn_user


@dataclass
class AddedMixes(StructuralAugmentation):
    """Adds mixes of pairs to the training split, once.

    Attributes:
        amount: mixes added per graph of the training split.
        max_nodes: larger graphs are not mixed, as every node of a pair meets every other; a warning
            tells how many these are.
    """

    amount: Annotated[float, Range(0, limit=1000)] = 0.25
    max_nodes: Annotated[int, Range(1, limit=10_000)] = 400

    reads_features: ClassVar[bool] = True

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return the training split with mixes behind its graphs."""
        number = round(self.amount * len(train))
        if number == 0:
            return train
        self.degree_encoding = train.degree_encoding
        small = self._small(train).to("cpu").floating()
        new = self.encoded(self.mixes(small, number))
        if train.degree_encoding is not None:
            new = new.replace(x=new.x.to(train.x.dtype))
        return Graphs.cat([train, new.to(train.device)])

    @abstractmethod
    def mixes(self, graphs: Graphs, number: int) -> Graphs:
        """Return so many mixes of graphs, on the CPU; their numbers are those of their first
        graphs.
        """

    def _small(self, train: Graphs) -> Graphs:
        """Return the graphs that can be mixed; say how many cannot."""
        fine = train.sizes <= self.max_nodes
        left_out = int((~fine).sum())
        if not left_out:
            return train
        why = f"{type(self).__name__} lets every node of a pair meet every other, and"
        if left_out == len(train):
            raise SmixupError(
                f"{why} all {left_out} graphs have more than max_nodes={self.max_nodes} nodes: "
                "raise it, or choose another method."
            )
        warn_user(
            f"{why} does not mix the {left_out} of {len(train)} graphs that have more than "
            f"max_nodes={self.max_nodes} nodes."
        )
        return train[fine.nonzero().squeeze(1)]


def draw_other(graphs: Graphs, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw pairs of graphs of different classes, as places `[number]` each; none is a first graph
    twice before all were.

    Where there is one class alone, or targets are no classes, the second is any other graph; where
    there is one graph alone, it is both.
    """
    first = draw_any(number, len(graphs), generator)
    apart = different(graphs)[first]
    u = torch.rand(number, generator=generator, dtype=torch.double)
    rank = (u * apart.sum(1)).long()
    second = (apart.cumsum(1) > rank.unsqueeze(1)).int().argmax(1)
    return first, second


def draw_nearest(graphs: Graphs, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw pairs likewise, the second graph the one that is nearest in size."""
    first = draw_any(number, len(graphs), generator)
    apart = different(graphs)[first]
    sizes = graphs.sizes.double()
    gap = (sizes[first].unsqueeze(1) - sizes).abs()
    return first, torch.where(apart, gap, torch.inf).argmin(1)


def different(graphs: Graphs) -> Tensor:
    """Return with whom each graph may be mixed, `[G, G]` bool: graphs of other classes, or all
    others where it has none such.
    """
    others = ~torch.eye(len(graphs), dtype=torch.bool)
    if len(graphs) == 1:
        return ~others
    if not graphs.has_classes:
        return others
    apart = graphs.labels.unsqueeze(1) != graphs.labels
    return torch.where(apart.any(1, keepdim=True), apart, others)
