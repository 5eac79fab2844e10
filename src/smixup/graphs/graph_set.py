"""A dataset in memory: all graphs concatenated, so that a batch is a few index operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import torch
from torch import Tensor

from smixup.graphs.graph_batch import GraphBatch
from smixup.graphs.ragged import offsets, ranges
from smixup.graphs.sparse import SparseOperator


@dataclass(frozen=True)
class GraphSet:
    """G graphs under the data contract of `GraphBatch`.

    Attributes:
        x: node features `[n, d]`; kept in a small type where they are one-hot, float once in a
            batch. `d` may be zero.
        adj: the block-diagonal adjacency of all graphs.
        y: targets `[G, C]`, float.
        ptr: `[G + 1]`, where the nodes of each graph begin.
        motif: `[n]` bool, ground truth of which nodes matter, where a dataset has it.
        degree_encoding: turns degrees `[n]` into features where `x` was made from degrees, so that
            a method that changes the structure can encode its graphs by the dataset's own rule.
    """

    x: Tensor
    adj: SparseOperator
    y: Tensor
    ptr: Tensor
    motif: Tensor | None = None
    degree_encoding: Callable[[Tensor], Tensor] | None = None

    def __len__(self) -> int:
        return self.y.size(0)

    @property
    def num_classes(self) -> int:
        """Width of the targets, C."""
        return self.y.size(1)

    @property
    def num_features(self) -> int:
        """Width of the node features, d."""
        return self.x.size(1)

    @property
    def labels(self) -> Tensor:
        """The most likely class of each graph `[G]`."""
        return self.y.argmax(1)

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[G]`."""
        return self.ptr.diff()

    def __getitem__(self, index: Tensor | Sequence[int]) -> GraphBatch:
        """Return the graphs at `index` as a batch."""
        index = torch.as_tensor(index, device=self.ptr.device)
        nodes, ptr = self._nodes(index)
        motif = None if self.motif is None else self.motif[nodes]
        return GraphBatch(
            self.x[nodes].float(),
            self.adj.blocks_of(self.ptr, index),
            self.y[index],
            ptr,
            index,
            motif,
        )

    def subset(self, index: Tensor | Sequence[int]) -> GraphSet:
        """Return the graphs at `index` as a set of their own."""
        index = torch.as_tensor(index, device=self.ptr.device)
        nodes, ptr = self._nodes(index)
        motif = None if self.motif is None else self.motif[nodes]
        adj = self.adj.blocks_of(self.ptr, index)
        return GraphSet(self.x[nodes], adj, self.y[index], ptr, motif, self.degree_encoding)

    def batches(
        self, batch_size: int, generator: torch.Generator | None = None
    ) -> Iterator[GraphBatch]:
        """Go through all graphs once; in random order if a generator is given."""
        order = (
            torch.arange(len(self))
            if generator is None
            else torch.randperm(len(self), generator=generator)
        )
        for index in order.split(batch_size):
            yield self[index.to(self.ptr.device)]

    def fingerprint(self) -> str:
        """Return a text that differs between sets of graphs: features, edges, targets, order."""
        digest = sha256()
        for tensor in (
            self.x,
            self.adj.row_ptr,
            self.adj.column,
            self.adj.weight,
            self.y,
            self.ptr,
        ):
            digest.update(str(tuple(tensor.shape)).encode())
            digest.update(tensor.cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def replace(self, **changes: object) -> GraphSet:
        """Return a copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def to(self, device: torch.device | str) -> GraphSet:
        """Move everything to `device`."""
        motif = None if self.motif is None else self.motif.to(device)
        x, y, ptr = (tensor.to(device) for tensor in (self.x, self.y, self.ptr))
        return GraphSet(x, self.adj.to(device), y, ptr, motif, self.degree_encoding)

    def _nodes(self, index: Tensor) -> tuple[Tensor, Tensor]:
        first = self.ptr[index]
        count = self.ptr[index + 1] - first
        return ranges(first, count), offsets(count)


def concatenate_sets(sets: Sequence[GraphSet]) -> GraphSet:
    """Put sets one after another; the first one's degree encoding stays."""
    motifs = [graphs.motif for graphs in sets if graphs.motif is not None]
    return GraphSet(
        x=torch.cat([graphs.x for graphs in sets]),
        adj=SparseOperator.stack([graphs.adj for graphs in sets]),
        y=torch.cat([graphs.y for graphs in sets]),
        ptr=offsets(torch.cat([graphs.sizes for graphs in sets])),
        motif=torch.cat(motifs) if len(motifs) == len(sets) else None,
        degree_encoding=sets[0].degree_encoding,
    )
