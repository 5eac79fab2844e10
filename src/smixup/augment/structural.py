"""What methods that change the structure of graphs share: features made from degrees follow the new
degrees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.graphs import GraphBatch, GraphSet


@dataclass
class StructuralAugmentation(RandomAugmentation):
    """Remembers the dataset's rule for features made from degrees, if it has one."""

    degree_encoding: Callable[[Tensor], Tensor] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def on_dataset(self, train: GraphSet) -> GraphSet:
        self.degree_encoding = train.degree_encoding
        return train

    def encoded(self, batch: GraphBatch) -> GraphBatch:
        """Return the batch with features of its present degrees where features are made from
        degrees.
        """
        if self.degree_encoding is None:
            return batch
        return batch.replace(x=self.degree_encoding(batch.adj.row_sums()))
