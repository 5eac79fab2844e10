"""SubMix (Yoo et al. 2022): a connected part of one graph in the place of a part of another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.partners import draw_any
from smixup.augment.structural import StructuralAugmentation
from smixup.errors import require
from smixup.graphs import Diagonal, GraphBatch, SparseOperator
from smixup.graphs.ragged import ranks


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
        left, right = self._ranked(batch), self._ranked(batch.take(partner))
        u = torch.rand(len(batch), generator=self.random).to(batch.ptr.device) * self.share
        number = (u * torch.minimum(left.reach, right.reach)).ceil().long()
        return self.encoded(transplant(left, right, number))

    def _ranked(self, batch: GraphBatch) -> Ranked:
        u = torch.rand(len(batch), generator=self.random).to(batch.ptr.device)
        return Ranked.around(batch, batch.ptr[:-1] + (u * batch.sizes).long(), self.restart, self.steps)


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
    def around(cls, graphs: GraphBatch, root: Tensor, restart: float, steps: int) -> Ranked:
        """Rank by personalised PageRank over degree, around `root [B]`.

        Note:
            PageRank alone does not make connected parts: a hub comes before the node through which it is reached.
            Divided by the degree, a node has less than the mean of its neighbours, hence a neighbour that has more.
        """
        near = nearness(graphs.adj.to_sparse(), root, restart, steps)
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


def nearness(adj: SparseOperator, root: Tensor, restart: float, steps: int) -> Tensor:
    """Return personalised PageRank around the roots, divided by the degree, `[n]`; zero where no walk arrives."""
    degree = adj.row_sums().double()
    start = torch.zeros_like(degree)
    start[root] = restart / torch.where(degree[root] > 0, degree[root], 1.0)
    walk = Diagonal(torch.where(degree > 0, (1 - restart) / degree, 0.0))
    near = start.unsqueeze(1)
    for _ in range(steps):
        near = start.unsqueeze(1) + walk.product(adj.product(near))
    return near.squeeze(1)


def transplant(left: Ranked, right: Ranked, number: Tensor) -> GraphBatch:
    """Put the first `number [B]` nodes of the right graphs in the place of as many of the left ones, rank by rank.

    Edges among the replaced nodes go, those among the inserted ones come; edges from replaced nodes to the rest stay,
    and tie the new part to it. The target is weighted by the share of edges that each graph contributes. A graph that
    would be left without any edge stays as it is.
    """
    kept, inserted = _edges(left, number, inside=False), _edges(right, number, inside=True)
    number = torch.where(kept + inserted > 0, number, 0)
    ratio = torch.where(number > 0, kept / (kept + inserted).clamp(min=1), 1.0)
    source = right.first(number).nonzero().squeeze(1)
    target = left.at(right.graphs.batch[source], right.rank[source])
    graphs, motif = left.graphs, left.graphs.motif
    if motif is not None and right.graphs.motif is not None:
        motif = motif.index_copy(0, target, right.graphs.motif[source])
    return graphs.replace(
        x=graphs.x.index_copy(0, target, right.graphs.x[source]),
        adj=_replaced(graphs.adj.to_sparse(), right.graphs.adj.to_sparse(), target, source),
        y=torch.lerp(right.graphs.y, graphs.y, ratio.unsqueeze(1)),
        motif=motif,
    )


def _edges(ranked: Ranked, number: Tensor, inside: bool) -> Tensor:
    """Count the edges among the first `number [B]` nodes of every graph, or all others, `[B]`."""
    adj, chosen = ranked.graphs.adj.to_sparse(), ranked.first(number)
    counted = (chosen[adj.row] & chosen[adj.column]) == inside
    return torch.bincount(ranked.graphs.batch[adj.row[counted]], minlength=len(ranked.graphs))


def _replaced(A1: SparseOperator, A2: SparseOperator, target: Tensor, source: Tensor) -> SparseOperator:
    """Return A1 with the edges of A2 among `source` in the place of its own among `target`."""
    old = torch.zeros(A1.shape[0], dtype=torch.bool, device=target.device).index_fill_(0, target, True)
    place = target.new_full((A2.shape[0],), -1).index_copy_(0, source, target)
    row, column = place[A2.row], place[A2.column]
    new = (row >= 0) & (column >= 0)
    part = SparseOperator.from_entries(row[new], column[new], A2.weight[new], A1.shape)
    return A1.keep(~(old[A1.row] & old[A1.column])).plus(replace(part, symmetric=A2.symmetric))
