"""SubMix (Yoo et al. 2022): a connected part of one graph in the place of a part of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.augment.partners import draw_any
from smixup.augment.structural import StructuralAugmentation
from smixup.errors import require
from smixup.graphs import GraphBatch, SparseOperator
from smixup.graphs.ragged import offsets, ranks


@dataclass
class SubMix(StructuralAugmentation):
    """Replaces a connected part of every graph by one of another graph, node by node in the order of their ranks.

    Attributes:
        share: the largest share of nodes that are replaced; each pair draws its own between zero and this.
        restart: probability that the random walk behind the ranks returns to its root.
        steps: how far that walk goes; a part reaches no further from its root.
        seed: of everything random.
    """

    share: float = 0.4
    restart: float = 0.15
    steps: int = 10

    purpose: ClassVar[str] = "submix"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.share <= 1, "share", self.share, "between 0 and 1")
        require(0 < self.restart < 1, "restart", self.restart, "above 0 and below 1")
        require(self.steps >= 1, "steps", self.steps, "1 or more")

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Transplant into every graph a part of another one of the batch."""
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        u = torch.rand(2, len(batch), generator=self.random).to(batch.ptr.device)
        near = nearness(batch.adj.to_sparse(), batch.ptr[:-1] + (u * batch.sizes).long(), self.restart, self.steps)
        left, right = (Ranked.by(batch, each) for each in near)
        u = torch.rand(len(batch), generator=self.random).to(batch.ptr.device) * self.share
        number = (u * torch.minimum(left.reach, right.reach[partner])).ceil().long()
        return self.encoded(transplant(left, right, partner, number))


@dataclass(frozen=True)
class Ranked:
    """Graphs with their nodes ranked by how near they are to a root.

    Attributes:
        graphs: B graphs.
        rank: `[n]`, place of every node within its graph; the first k are connected, for all k up to `reach`.
        reach: `[B]`, nodes that the root reaches.
    """

    graphs: GraphBatch
    rank: Tensor
    reach: Tensor

    @classmethod
    def by(cls, graphs: GraphBatch, near: Tensor) -> Ranked:
        """Rank by nearness to the root, `near [n]`."""
        reach = torch.bincount(graphs.batch[near > 0], minlength=len(graphs))
        return cls(graphs, ranks(graphs.ptr, -near), reach)

    def first(self, number: Tensor) -> Tensor:
        """Mark the first `number [B]` nodes of every graph, `[n]`."""
        return self.rank < number[self.graphs.batch]

    def at(self, graph: Tensor, rank: Tensor) -> Tensor:
        """Return the nodes of given graphs at given ranks."""
        order = torch.empty_like(self.rank)
        order[self.graphs.ptr[self.graphs.batch] + self.rank] = torch.arange(order.numel(), device=order.device)
        return order[self.graphs.ptr[graph] + rank]


def nearness(adj: SparseOperator, roots: Tensor, restart: float, steps: int) -> Tensor:
    """Return personalised PageRank divided by the degree, `[k, n]`; zero where no walk arrives.

    Args:
        adj: the adjacency of B graphs.
        roots: `[k, B]`, k times a root for every graph.
        restart: probability that the walk returns to its root.
        steps: of the power iteration.

    Note:
        PageRank alone does not make connected parts: a hub comes before the node through which it is reached. Divided
        by the degree, a node has less than the mean of its neighbours, hence a neighbour that has more.
    """
    entries = (each.cpu().numpy() for each in (adj.weight.double(), adj.column, adj.row_ptr))
    walk = csr_matrix(tuple(entries), shape=adj.shape)
    degree = np.asarray(walk.sum(1))
    degree[degree == 0] = 1.0
    start = np.zeros((adj.shape[0], roots.size(0)))
    np.put_along_axis(start, roots.T.cpu().numpy(), restart, axis=0)
    start /= degree
    near = start
    for _ in range(steps):
        near = start + (1 - restart) / degree * (walk @ near)
    return torch.from_numpy(near.T).to(roots.device)


def transplant(left: Ranked, right: Ranked, partner: Tensor, number: Tensor) -> GraphBatch:
    """Put the first `number [B]` nodes of each graph's partner in the place of as many of its own, rank by rank.

    Edges among the replaced nodes go, those among the inserted ones come; edges from replaced nodes to the rest stay,
    and tie the new part to it. The target is weighted by the share of edges that each graph contributes. A graph that
    would be left without any edge stays as it is.

    Args:
        left: B graphs, ranked for the parts that go.
        right: the same graphs, ranked for the parts that come.
        partner: `[B]`, which graph gives to each; a permutation.
        number: `[B]`, nodes that are replaced in each.
    """
    graphs, adj, receiver = left.graphs, left.graphs.adj.to_sparse(), partner.argsort()
    old, new = left.first(number), right.first(number[receiver])
    rest, part = adj.keep(~(old[adj.row] & old[adj.column])), adj.induced(new)
    kept, inserted = rest.row_ptr[graphs.ptr].diff(), part.row_ptr[offsets(number[receiver])].diff()[partner]
    source = new.nonzero().squeeze(1)
    mix = receiver[graphs.batch[source]]
    target = left.at(mix, right.rank[source])
    some = kept + inserted > 0
    ratio = torch.where(some, kept / (kept + inserted), 1.0).unsqueeze(1)
    whole = rest.beside(part.spread(target, graphs.num_nodes))
    mixed = graphs.replace(adj=whole, y=torch.lerp(graphs.y[partner], graphs.y, ratio))
    return _with_nodes(mixed, target[some[mix]], source[some[mix]])


def _with_nodes(graphs: GraphBatch, target: Tensor, source: Tensor) -> GraphBatch:
    """Return the graphs with what stands at the nodes `source` also at the nodes `target`."""
    motif = None if graphs.motif is None else graphs.motif.index_copy(0, target, graphs.motif[source])
    return graphs.replace(x=graphs.x.index_copy(0, target, graphs.x[source]), motif=motif)
