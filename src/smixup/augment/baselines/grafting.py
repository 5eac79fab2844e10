"""Joining parts of two graphs so that the degrees at the cut are, in expectation, what they
were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.augment.mixing import mixed_targets
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.graphs.ragged import offsets, ranges
from smixup.seeding import rand


@dataclass(frozen=True)
class Cutting:
    """Graphs of which a part is used.

    Attributes:
        graphs: B graphs.
        part: `[n]` bool, the nodes used.
        saliency: `[n]`, how much each node matters.
    """

    graphs: Graphs
    part: Tensor
    saliency: Tensor

    def loose(self, edges: Operator) -> tuple[Tensor, Tensor]:
        """Return the weight of cut edges at every node `[n]`, or `[n, k]` of k attributes, and how
        many each graph has `[B]`.

        Args:
            edges: the adjacency of the graphs, or an attribute of their edges.
        """
        adj = edges.to_sparse()
        cut = self.part[adj.row] & ~self.part[adj.column]
        weight = adj.weight.new_zeros(self.graphs.num_nodes, *adj.weight.shape[1:])
        weight.index_add_(0, adj.row[cut], adj.weight[cut])
        return weight, torch.bincount(self.graphs.batch[adj.row[cut]], minlength=len(self.graphs))

    def inside(self, edges: Operator) -> SparseOperator:
        """Return the edges among the nodes used, all nodes at their places."""
        adj = edges.to_sparse()
        return adj.mask_entries(self.part[adj.row] & self.part[adj.column])

    def importance(self) -> Tensor:
        """Return the share of saliency in the part, `[B]`; of nodes where nothing is salient."""
        total = self.sums(self.saliency)
        saliency = torch.where(total[self.graphs.batch] > 0, self.saliency, 1.0)
        return self.sums(saliency * self.part) / self.sums(saliency)

    def sums(self, values: Tensor) -> Tensor:
        """Add up `values [n]` or `[n, k]` within every graph, `[B]` or `[B, k]`."""
        return self.graphs.totals(values)


@dataclass(frozen=True)
class Ties:
    """Edges between two batches of graphs, pair by pair.

    Attributes:
        left, right: `[k]`, the nodes they join.
        graph: `[k]`, the pair they belong to.
    """

    left: Tensor
    right: Tensor
    graph: Tensor


def draw_ties(host: Cutting, giver: Cutting, generator: torch.Generator) -> Ties:
    """Draw half as many edges as have loose ends, with ends in proportion to what each node lost.

    Where both parts lost the same, each node gets back in expectation what it lost; else both
    together do. A tie drawn twice weighs twice. There are no ties where one part has no loose ends.
    """
    (loose1, ends1), (loose2, ends2) = (side.loose(side.graphs.adj) for side in (host, giver))
    both = (ends1 > 0) & (ends2 > 0)
    u = rand(both.numel(), generator=generator, like=both)
    number = torch.where(both, ((ends1 + ends2) / 2 + u).floor().long(), 0)
    graph = torch.arange(both.numel(), device=both.device).repeat_interleave(number)
    left = draw_in_proportion(loose1, host.graphs.ptr, graph, generator)
    right = draw_in_proportion(loose2, giver.graphs.ptr, graph, generator)
    return Ties(left, right, graph)


def draw_in_proportion(
    weight: Tensor, ptr: Tensor, row: Tensor, generator: torch.Generator
) -> Tensor:
    """Draw an element of each given row of a ragged array with probability in proportion to
    `weight [n]`.
    """
    ladder = torch.cat([weight.new_zeros(1, dtype=torch.double), weight.double().cumsum(0)])
    low, high = ladder[ptr[row]], ladder[ptr[row + 1]]
    u = rand(row.numel(), generator=generator, like=row, dtype=torch.double)
    return torch.searchsorted(ladder, low + u * (high - low), right=True) - 1


def graft(host: Cutting, giver: Cutting, generator: torch.Generator) -> Graphs:
    """Join the parts of each pair, first the host's nodes, then the giver's.

    Targets are weighted by importance; where neither part holds anything salient, by numbers of
    nodes. A tie has the mean weight, and the mean attributes, of the edges that were cut.
    """
    left, right = host.graphs.subgraph(host.part), giver.graphs.subgraph(giver.part)
    ptr = offsets(left.sizes + right.sizes)
    places = ranges(ptr[:-1], left.sizes), ranges(ptr[:-1] + left.sizes, right.sizes)
    order = torch.cat(places).argsort()
    joint = Joint(host, giver, places, draw_ties(host, giver, generator))
    return left.replace(
        x=torch.cat([left.x, right.x])[order],
        adj=joint.join(host.graphs.adj, giver.graphs.adj),
        ptr=ptr,
        edge_attrs={
            name: tuple(map(joint.join, columns, giver.graphs.edge_attrs[name]))
            for name, columns in host.graphs.edge_attrs.items()
        },
        node_attrs={
            name: torch.cat([values, right.node_attrs[name]])[order]
            for name, values in left.node_attrs.items()
        },
        **mixed_targets(left, right, _ratio(host, giver)),
    )


def _ratio(host: Cutting, giver: Cutting) -> Tensor:
    """Return the weight of the host's target, `[B]`."""
    mine, given = host.importance(), giver.importance()
    nodes, more = (side.sums(side.part.to(mine.dtype)) for side in (host, giver))
    by_nodes = torch.where(nodes + more > 0, nodes / (nodes + more), 1.0)
    return torch.where(mine + given > 0, mine / (mine + given), by_nodes)


@dataclass(frozen=True)
class Joint:
    """Where two parts meet.

    Attributes:
        host, giver: the parts.
        places: where the nodes of each stand in the new graphs.
        ties: the edges between them.
    """

    host: Cutting
    giver: Cutting
    places: tuple[Tensor, Tensor]
    ties: Ties

    def join(self, A1: Operator, A2: Operator) -> SparseOperator:
        """Return the edges within both parts and the ties between them.

        Args:
            A1, A2: the adjacencies of the two batches, or an attribute of their edges.
        """
        sides, n = (self.host, self.giver), sum(place.numel() for place in self.places)
        place1, place2 = (
            torch.zeros_like(side.graphs.batch).masked_scatter_(side.part, place)
            for side, place in zip(sides, self.places, strict=True)
        )
        weight = self.tie_weight(A1, A2)
        A1, A2 = (side.inside(A) for side, A in zip(sides, (A1, A2), strict=True))
        left, right = place1[self.ties.left], place2[self.ties.right]
        row = torch.cat([place1[A1.row], place2[A2.row], left, right])
        column = torch.cat([place1[A1.column], place2[A2.column], right, left])
        joined = SparseOperator.from_entries(
            row, column, torch.cat([A1.weight, A2.weight, weight, weight]), (n, n)
        )
        return replace(joined, symmetric=A1.symmetric and A2.symmetric)

    def tie_weight(self, A1: Operator, A2: Operator) -> Tensor:
        """Return the mean over the edges that were cut in a pair, for each of its ties."""
        (loose1, ends1), (loose2, ends2) = self.host.loose(A1), self.giver.loose(A2)
        total = self.host.sums(loose1) + self.giver.sums(loose2)
        number = (ends1 + ends2).clamp(min=1).view(-1, *[1] * (total.dim() - 1))
        return (total / number)[self.ties.graph]
