"""Joining parts of two graphs so that the degrees at the cut are, in expectation, what they
were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.graphs import GraphBatch, SparseOperator
from smixup.graphs.ragged import offsets, ranges


@dataclass(frozen=True)
class Cutting:
    """Graphs of which a part is used.

    Attributes:
        graphs: B graphs.
        part: `[n]` bool, the nodes used.
        saliency: `[n]`, how much each node matters.
    """

    graphs: GraphBatch
    part: Tensor
    saliency: Tensor

    def loose(self) -> tuple[Tensor, Tensor]:
        """Return the weight of cut edges at every node `[n]`, and the number of cut edges of every
        graph `[B]`.
        """
        adj = self.graphs.adj.to_sparse()
        cut = self.part[adj.row] & ~self.part[adj.column]
        weight = adj.weight.new_zeros(self.graphs.num_nodes).index_add_(
            0, adj.row[cut], adj.weight[cut]
        )
        return weight, torch.bincount(self.graphs.batch[adj.row[cut]], minlength=len(self.graphs))

    def importance(self) -> Tensor:
        """Return the share of saliency in the part, `[B]`; of nodes where nothing is salient."""
        total = self.sums(self.saliency)
        saliency = torch.where(total[self.graphs.batch] > 0, self.saliency, 1.0)
        return self.sums(saliency * self.part) / self.sums(saliency)

    def sums(self, values: Tensor) -> Tensor:
        """Add up `values [n]` within every graph, `[B]`."""
        return values.new_zeros(len(self.graphs)).index_add_(0, self.graphs.batch, values)


@dataclass(frozen=True)
class Ties:
    """Edges between two batches of graphs, pair by pair: `left [k]` with `right [k]`, of
    `weight [k]`.
    """

    left: Tensor
    right: Tensor
    weight: Tensor


def draw_ties(host: Cutting, giver: Cutting, generator: torch.Generator) -> Ties:
    """Draw half as many edges as have loose ends, with ends in proportion to what each node lost.

    Where both parts lost the same, each node gets back in expectation what it lost; else both
    together do. A tie drawn twice weighs twice. There are no ties where one part has no loose ends.
    """
    (loose1, ends1), (loose2, ends2) = host.loose(), giver.loose()
    both = (ends1 > 0) & (ends2 > 0)
    u = torch.rand(both.numel(), generator=generator).to(both.device)
    number = torch.where(both, ((ends1 + ends2) / 2 + u).floor().long(), 0)
    graph = torch.arange(both.numel(), device=both.device).repeat_interleave(number)
    mean = (host.sums(loose1) + giver.sums(loose2)) / (ends1 + ends2).clamp(min=1)
    left = draw_in_proportion(loose1, host.graphs.ptr, graph, generator)
    right = draw_in_proportion(loose2, giver.graphs.ptr, graph, generator)
    return Ties(left, right, mean[graph])


def draw_in_proportion(
    weight: Tensor, ptr: Tensor, row: Tensor, generator: torch.Generator
) -> Tensor:
    """Draw an element of each given row of a ragged array with probability in proportion to
    `weight [n]`.
    """
    ladder = torch.cat([weight.new_zeros(1, dtype=torch.double), weight.double().cumsum(0)])
    low, high = ladder[ptr[row]], ladder[ptr[row + 1]]
    u = torch.rand(row.numel(), generator=generator, dtype=torch.double).to(row.device)
    return torch.searchsorted(ladder, low + u * (high - low), right=True) - 1


def graft(host: Cutting, giver: Cutting, generator: torch.Generator) -> GraphBatch:
    """Join the parts of each pair, first the host's nodes, then the giver's; targets are weighted
    by importance.

    Where neither part holds anything salient, they are weighted by numbers of nodes.
    """
    left, right = host.graphs.induced(host.part), giver.graphs.induced(giver.part)
    ptr = offsets(left.sizes + right.sizes)
    places = ranges(ptr[:-1], left.sizes), ranges(ptr[:-1] + left.sizes, right.sizes)
    order = torch.cat(places).argsort()
    motif = (
        torch.cat([left.motif, right.motif])[order]
        if left.motif is not None and right.motif is not None
        else None
    )
    return GraphBatch(
        x=torch.cat([left.x, right.x])[order],
        adj=_joined(host, giver, places, draw_ties(host, giver, generator)),
        y=torch.lerp(right.y, left.y, _ratio(host, giver).unsqueeze(1)),
        ptr=ptr,
        ids=left.ids,
        motif=motif,
    )


def _ratio(host: Cutting, giver: Cutting) -> Tensor:
    """Return the weight of the host's target, `[B]`."""
    mine, given = host.importance(), giver.importance()
    nodes, more = (side.sums(side.part.to(mine.dtype)) for side in (host, giver))
    return torch.where(mine + given > 0, mine / (mine + given), nodes / (nodes + more))


def _joined(
    host: Cutting, giver: Cutting, places: tuple[Tensor, Tensor], ties: Ties
) -> SparseOperator:
    """Return the edges within both parts and the ties between them, their nodes at `places`."""
    place1, place2 = (
        torch.zeros_like(cutting.graphs.batch).masked_scatter_(cutting.part, place)
        for cutting, place in zip((host, giver), places, strict=True)
    )
    A1, A2 = (_inside(cutting) for cutting in (host, giver))
    left, right, n = place1[ties.left], place2[ties.right], sum(place.numel() for place in places)
    row = torch.cat([place1[A1.row], place2[A2.row], left, right])
    column = torch.cat([place1[A1.column], place2[A2.column], right, left])
    weight = torch.cat([A1.weight, A2.weight, ties.weight, ties.weight])
    return replace(
        SparseOperator.from_entries(row, column, weight, (n, n)),
        symmetric=A1.symmetric and A2.symmetric,
    )


def _inside(cutting: Cutting) -> SparseOperator:
    adj = cutting.graphs.adj.to_sparse()
    return adj.keep(cutting.part[adj.row] & cutting.part[adj.column])
