"""SubMix (Yoo et al. 2022): a connected part of one graph in the place of a part of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import mixed_targets
from smixup.augment.pairing import draw_any
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges, row_of
from smixup.seeding import rand
from smixup.settings import Share

RESTART, STEPS = 0.15, 10
"""Of the random walk behind the ranks: how likely it returns to its root, and how far it goes."""
UNSURE_BITS = 23
"""The last bits of a double, beyond its nine first digits."""


@dataclass
class SubMix(RandomAugmentation):
    """Replaces a connected part of every graph by one of another graph, node by node in the order
    of their ranks.

    Attributes:
        share: the largest share of nodes that are replaced; each pair draws its own between zero
            and this.
    """

    share: Share = 0.4

    purpose: ClassVar[str] = "submix"
    mixes_targets: ClassVar[bool] = True

    def on_batch(self, batch: Graphs) -> Graphs:
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        u = rand(2, len(batch), generator=self.random, like=batch.ptr)
        roots = (batch.ptr[:-1] + (u * batch.sizes).long())[:, batch.sizes > 0]
        near = nearness(batch.adj, roots, RESTART, STEPS)
        left, right = (Ranked.by(batch, each) for each in near)
        u = rand(len(batch), generator=self.random, like=batch.ptr) * self.share
        number = (u * torch.minimum(left.reach, right.reach[partner])).ceil().long()
        return transplant(left, right, partner, number)


@dataclass(frozen=True)
class Ranked:
    """Graphs with their nodes in the `order [n]` of how near they are to a root, the nearest first;
    a graph's first k are connected, for all k up to `reach [B]`.
    """

    graphs: Graphs
    order: Tensor
    reach: Tensor

    @classmethod
    def by(cls, graphs: Graphs, near: Tensor) -> Ranked:
        """Rank by nearness to the root, `near [n]`."""
        return cls(graphs, nearest_first(graphs, near), offsets(near > 0)[graphs.ptr].diff())

    def at(self, graph: Tensor, rank: Tensor) -> Tensor:
        """Return the nodes of given graphs at given ranks."""
        return self.order[self.graphs.ptr[graph] + rank]


def nearest_first(graphs: Graphs, near: Tensor) -> Tensor:
    """Return the nodes graph by graph, the nearest first, `[n]`; equals keep their order.

    The bits of a number that is not negative increase with it. The last ones do not count, so that
    rounding errors do not rank twins.
    """
    far = -(near.view(torch.long) >> UNSURE_BITS)
    return torch.from_numpy(np.lexsort([far.cpu(), graphs.batch.cpu()])).to(near.device)


def nearness(adj: SparseOperator, roots: Tensor, restart: float, steps: int) -> Tensor:
    """Return personalised PageRank from `roots [k, B]` divided by the degree, `[k, n]`; zero where
    no walk arrives.

    PageRank alone does not make connected parts: a hub comes before the node through which it is
    reached. Divided by the degree, a node has less than the mean of its neighbours, hence a
    neighbour that has more.
    """
    entries = (each.cpu().numpy() for each in (adj.weight.double(), adj.column, adj.row_ptr))
    walk = csr_matrix(tuple(entries), shape=adj.shape)
    degree = np.asarray(walk.sum(1))
    degree[degree == 0] = 1.0
    start = np.zeros((adj.shape[0], roots.size(0)))
    np.put_along_axis(start, roots.T.cpu().numpy(), restart, axis=0)
    start /= degree
    near, onward = start, (1 - restart) / degree
    for _ in range(steps):
        near = walk @ near
        near *= onward
        near += start
    return torch.from_numpy(near.T.copy()).to(roots.device)


def transplant(left: Ranked, right: Ranked, partner: Tensor, number: Tensor) -> Graphs:
    """Put the first `number [B]` nodes of each graph's partner in the place of as many of its own,
    rank by rank.

    Edges among the replaced nodes go, those among the inserted ones come; edges from replaced nodes
    to the rest stay, and tie the new part to it. The target is weighted by the share of edges that
    each graph contributes. A graph that would be left without any edge stays as it is.
    """
    graphs, mix = left.graphs, row_of(offsets(number))
    rank = ranges(torch.zeros_like(number), number)
    target, source = left.at(mix, rank), right.at(partner[mix], rank)
    edges, kept = exchange(graphs.edges(), target, source)
    own, total = (each.row_ptr[graphs.ptr].diff() for each in (kept, edges))
    some = total > 0
    targets = mixed_targets(graphs, graphs, torch.where(some, own / total, 1.0), partner)
    mixed = graphs.with_edges(edges).replace(set_id="", **targets)
    target, source = target[some[mix]], source[some[mix]]
    return mixed.map_nodes(lambda values: values.index_copy(0, target, values[source]))


def exchange(
    edges: SparseOperator, target: Tensor, source: Tensor
) -> tuple[SparseOperator, SparseOperator]:
    """Put the entries among the nodes `source [k]` in the place of those among the nodes
    `target [k]`; return also what stays of the entries that were there.
    """
    n = edges.num_columns
    is_target, is_source = (
        torch.zeros(n, dtype=torch.bool, device=nodes.device).index_fill(0, nodes, True)
        for nodes in (target, source)
    )
    place = torch.zeros_like(edges.row_ptr[1:]).index_copy(0, source, target)
    stays = edges.mask_entries(~(is_target[edges.row] & is_target[edges.column]))
    comes = edges.subgraph(is_source).scatter(place[is_source], n)
    return stays.add_unmerged(comes), stays
