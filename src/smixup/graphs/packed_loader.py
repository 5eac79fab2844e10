"""Graphs on disk in a loop of a PyG user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch_geometric.data import Batch

from smixup.graphs.graphs import Graphs
from smixup.graphs.packed import PackedGraphs
from smixup.graphs.pyg import to_pyg
from smixup.ranges import Count, RangedFields


@dataclass(frozen=True)
class PackedLoader(RangedFields):
    """Yields PyG batches of graphs on disk, in place of a `DataLoader`; no `Data` is made on the
    way.

    Example::

        for batch in open_packed("million").loader(256, shuffle=True):
            loss = F.cross_entropy(model(batch), batch.y)

    Features are floats, `y` holds class numbers where targets are classes of which each graph has
    one, and `edge_weight` is there where weights are not all one.

    Attributes:
        graphs: on disk.
        batch_size: graphs in a batch.
        shuffle: go through them in random order, another one every time.
        generator: of that order; None takes torch's own.
    """

    graphs: PackedGraphs
    batch_size: Count
    shuffle: bool = False
    generator: torch.Generator | None = None

    def __len__(self) -> int:
        return -(-len(self.graphs) // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        order = torch.arange(len(self.graphs))
        if self.shuffle:
            order = torch.randperm(len(self.graphs), generator=self.generator)
        for index in order.split(self.batch_size):
            yield self._batch(self.graphs[index].floating())

    def _batch(self, graphs: Graphs) -> Batch:
        batch = to_pyg(graphs)
        if self.graphs.has_class_numbers:
            batch.y = graphs.labels
        if self.graphs.unweighted:
            del batch.edge_weight
            del batch._slice_dict["edge_weight"], batch._inc_dict["edge_weight"]
        return batch
