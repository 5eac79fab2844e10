"""The graphs of one training step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from smixup.graphs.operator import Operator, Stacked
from smixup.graphs.ragged import offsets, ranges, row_of


@dataclass(frozen=True)
class GraphBatch:
    """B graphs with n nodes in all, flat: the data contract that every augmentation takes and
    gives.

    Attributes:
        x: node features `[n, d]`, float.
        adj: the block-diagonal adjacency, `[n, n]`, weights on every edge.
        y: targets `[B, C]`, float; one-hot for originals, soft for mixes.
        ptr: `[B + 1]`, where the nodes of each graph begin.
        ids: `[B]`, each graph's position in its set (of a mix: its first graph's).
        motif: `[n]`, ground truth of which nodes matter, where a dataset has it.
        channels: edge attributes of a user's own data, each column as an operator of weight times
            attribute, so that they are mixed as the adjacency is.
    """

    x: Tensor
    adj: Operator
    y: Tensor
    ptr: Tensor
    ids: Tensor
    motif: Tensor | None = None
    channels: tuple[Operator, ...] = ()

    def __len__(self) -> int:
        return self.y.size(0)

    @property
    def num_nodes(self) -> int:
        """Nodes in all graphs together."""
        return self.x.size(0)

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[B]`."""
        return self.ptr.diff()

    @cached_property
    def batch(self) -> Tensor:
        """The graph of every node `[n]`."""
        return row_of(self.ptr)

    def take(self, index: Tensor) -> GraphBatch:
        """Return the graphs at `index`, in that order."""
        first = self.ptr[index]
        count = self.ptr[index + 1] - first
        nodes, motif = ranges(first, count), self.motif
        return GraphBatch(
            x=self.x[nodes],
            adj=self.adj.to_sparse().blocks_of(self.ptr, index),
            y=self.y[index],
            ptr=offsets(count),
            ids=self.ids[index],
            motif=None if motif is None else motif[nodes],
            channels=tuple(
                channel.to_sparse().blocks_of(self.ptr, index) for channel in self.channels
            ),
        )

    def window(self, first: int, number: int) -> GraphBatch:
        """Return `number` graphs in a row; cheaper than `take`."""
        a, b = int(self.ptr[first]), int(self.ptr[first + number])
        return GraphBatch(
            x=self.x[a:b],
            adj=self.adj.to_sparse().window(a, b),
            y=self.y[first : first + number],
            ptr=self.ptr[first : first + number + 1] - a,
            ids=self.ids[first : first + number],
            motif=None if self.motif is None else self.motif[a:b],
            channels=tuple(channel.to_sparse().window(a, b) for channel in self.channels),
        )

    def induced(self, chosen: Tensor) -> GraphBatch:
        """Return the graphs with only the nodes marked in `chosen [n]`, and the edges among
        them.
        """
        sizes = torch.bincount(self.batch[chosen], minlength=len(self))
        motif = None if self.motif is None else self.motif[chosen]
        adj = self.adj.to_sparse().induced(chosen)
        return GraphBatch(self.x[chosen], adj, self.y, offsets(sizes), self.ids, motif)

    def replace(self, **changes: Tensor | Operator | tuple[Operator, ...] | None) -> GraphBatch:
        """Return a copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def to(self, device: torch.device | str) -> GraphBatch:
        """Move everything to `device`."""
        motif = None if self.motif is None else self.motif.to(device)
        x, y, ptr, ids = (tensor.to(device) for tensor in (self.x, self.y, self.ptr, self.ids))
        channels = tuple(channel.to(device) for channel in self.channels)
        return GraphBatch(x, self.adj.to(device), y, ptr, ids, motif, channels)


def concatenate(batches: Sequence[GraphBatch]) -> GraphBatch:
    """Put batches one after another, whatever their adjacencies are made of."""
    shifts = [0, *torch.tensor([batch.num_nodes for batch in batches]).cumsum(0).tolist()]
    ptr = [batch.ptr[1:] + shift for batch, shift in zip(batches, shifts, strict=False)]
    motifs = [batch.motif for batch in batches if batch.motif is not None]
    return GraphBatch(
        x=torch.cat([batch.x for batch in batches]),
        adj=Stacked(tuple(batch.adj for batch in batches)),
        y=torch.cat([batch.y for batch in batches]),
        ptr=torch.cat([batches[0].ptr[:1], *ptr]),
        ids=torch.cat([batch.ids for batch in batches]),
        motif=torch.cat(motifs) if len(motifs) == len(batches) else None,
        channels=tuple(
            Stacked(parts) for parts in zip(*(batch.channels for batch in batches), strict=True)
        ),
    )
