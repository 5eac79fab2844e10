"""Methods that change the structure of graphs, where features may be made from degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.graphs import Graphs
from smixup.progress import Report


@dataclass
class StructuralAugmentation(RandomAugmentation):
    """Remembers the dataset's rule for features made from degrees, if it has one."""

    degree_encoding: Callable[[Tensor], Tensor] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def on_fit(self, train: Graphs, report: Report) -> None:
        self.degree_encoding = train.degree_encoding

    def encoded(self, batch: Graphs) -> Graphs:
        """Return the batch with features of its present degrees, where features are degrees."""
        if self.degree_encoding is None:
            return batch
        return batch.replace(x=self.degree_encoding(batch.adj.row_sizes()))


@dataclass
class GivenNodes(StructuralAugmentation):
    """Makes graphs of nodes that there are; these bring their features along, as in published
    code.

    Attributes:
        encode_degrees: where features are degrees, make them anew from the degrees of the graph
            that is made. Where edges were taken away, a network then learns from degrees that are
            too low for the whole graphs that it is tested on: IMDB-BINARY loses ten points
            (docs/methods.md).
    """

    encode_degrees: bool = field(default=False, kw_only=True)

    def encoded(self, batch: Graphs) -> Graphs:
        return super().encoded(batch) if self.encode_degrees else batch
