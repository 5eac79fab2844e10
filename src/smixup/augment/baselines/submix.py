"""SubMix (Yoo et al. 2022): a connected part of one graph in the place of a part of another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

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
from smixup.settings import Count, Range, Share

WORD, NEAR_BITS = 63, 40
"""Bits of a whole number beside its sign, and of a double that tell how near a node is."""
GONE = -1
"""Where an entry goes that goes nowhere."""


@dataclass
class SubMix(RandomAugmentation):
    """Replaces a connected part of every graph by one of another graph, node by node in the order
    of their ranks.

    Attributes:
        share: the largest share of nodes that are replaced; each pair draws its own between zero
            and this.
        restart: probability that the random walk behind the ranks returns to its root.
        steps: how far that walk goes; a part reaches no further from its root.
        seed: the seed of everything random.
    """

    share: Share = 0.4
    restart: Annotated[float, Range(above=0, below=1)] = 0.15
    steps: Count = 10

    purpose: ClassVar[str] = "submix"
    mixes_targets: ClassVar[bool] = True

    def on_batch(self, batch: Graphs) -> Graphs:
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        u = rand(2, len(batch), generator=self.random, like=batch.ptr)
        roots = (batch.ptr[:-1] + (u * batch.sizes).long())[:, batch.sizes > 0]
        near = nearness(batch.adj, roots, self.restart, self.steps)
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

    One sort of whole numbers, which have the graph in their highest bits, then nearness, then the
    node. The bits of a number that is not negative increase with it. The first 40 tell nine digits,
    so that rounding errors do not rank twins.
    """
    node_bits, graph_bits = (int(n).bit_length() for n in (near.numel(), len(graphs)))
    near_bits = min(NEAR_BITS, WORD - node_bits - graph_bits)
    most = torch.tensor(torch.inf, dtype=torch.double).view(torch.long)
    far = (most - near.view(torch.long)) >> (WORD - near_bits)
    node = torch.arange(near.numel(), device=near.device)
    key = (((graphs.batch << near_bits) + far) << node_bits) + node
    order = torch.from_numpy(np.sort(key.cpu().numpy())).to(near.device)
    return order & ((1 << node_bits) - 1)


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
    own, total = (row_ptr[graphs.ptr].diff() for row_ptr in (kept, edges.row_ptr))
    some = total > 0
    targets = mixed_targets(graphs, graphs, torch.where(some, own / total, 1.0), partner)
    mixed = graphs.with_edges(edges).replace(set_id="", **targets)
    target, source = target[some[mix]], source[some[mix]]
    return mixed.map_nodes(lambda values: values.index_copy(0, target, values[source]))


def exchange(adj: SparseOperator, target: Tensor, source: Tensor) -> tuple[SparseOperator, Tensor]:
    """Put the entries among the nodes `source [k]` in the place of those among the nodes
    `target [k]`.

    Also return `[n + 1]`, how many entries that were there before stay in the rows up to each.

    A row is written once: its own entries, then those of its source, if it is a target. Where the
    column of an entry goes depends on the row it is from: from a row that is no target it stays;
    from a target it stays unless it is a target itself; from a source it goes to its own target, if
    it has one.
    """
    n, node = adj.num_columns, torch.arange(adj.num_columns, device=target.device)
    from_source = torch.full_like(node, GONE).index_copy(0, source, target)
    goes = torch.cat([node, node.index_fill(0, target, GONE), from_source])
    is_target = torch.zeros_like(node).index_fill(0, target, n)
    kind = torch.stack([is_target, torch.full_like(node, 2 * n)], 1).flatten()
    first, count = (
        torch.stack([each, torch.zeros_like(each).index_copy(0, target, each[source])], 1).flatten()
        for each in (adj.row_ptr[:-1], adj.row_ptr.diff())
    )
    entries = ranges(first, count)
    place = adj.column.index_select(0, entries) + kind.repeat_interleave(count)
    column = goes.index_select(0, place)
    stays = column != GONE
    row_ptr, chosen = offsets(stays)[offsets(count)], stays.nonzero().squeeze(1)
    weight = adj.weight.index_select(0, entries.index_select(0, chosen))
    column = column.index_select(0, chosen)
    changed = replace(adj, row_ptr=row_ptr[::2], column=column, weight=weight)
    return changed, offsets(row_ptr.diff()[::2])
