"""Graphs on edit paths: every node and every edge is still that of one of the two graphs.
A path goes from the smaller graph to the larger one, in random order; maps of nodes are found once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import coo_array, csr_matrix
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from smixup.augment.alignments import Partners
from smixup.augment.edit_search import DELETED, EditProblem, Order, WeightedGraph, shortest_path
from smixup.augment.mixing import mixed_targets
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges, row_of
from smixup.graphs.sparse import numbered_edges
from smixup.progress import Progress, Report, silent

ROUNDING = 1e-6
KEY_BITS = 20
"""Bits of the random number that puts an operation into its place."""
STARTS, TRIES = 4, 6
"""Random starts of a search, and orders of edits that are drawn until a mix is whole."""


@dataclass(frozen=True)
class EditPaths:
    """Edit paths between the graphs of B pairs.

    Nodes that are mapped to each other share a place; there are N places in all, and E edges
    between them, of G1 or G2. The operations of a path are those on places, then those on edges:
    which of them are done, `[N + E]` bool, says where on a path a graph is.

    Attributes:
        left, right: G1 and G2.
        own, other: `[N]`, the node of G1 and of G2 at each place; -1 where there is none.
        entries: weights of G1 with k attributes beside them, then those of G2, `[m, 2 + 2k]`.
        edge: `[m]`, the edge of every entry, both directions as one.
        low, high: `[E]`, the places that an edge joins, sorted; one and the same for a loop.
        pair: `[N + E]`, the pair of each operation.
        costs: `[N + E]`, what each operation costs, double.
    """

    left: Graphs
    right: Graphs
    own: Tensor
    other: Tensor
    entries: SparseOperator
    edge: Tensor
    low: Tensor
    high: Tensor
    pair: Tensor
    costs: Tensor

    @classmethod
    def along(cls, left: Graphs, right: Graphs, number: Tensor, featured: bool) -> EditPaths:
        """Find the operations of paths along maps of nodes.

        An edge costs the difference of its weights, and one more if its attributes change. A node
        costs one to insert, and one to change if it is `featured` and has other features then.

        Args:
            left, right: G1 and G2.
            number: `[n1]`, the node of G2 that a node of G1 becomes, by its number in its graph; -1
                if it has none. All nodes of the smaller graph of a pair have one.
            featured: whether nodes differ by their features.
        """
        mapped = number >= 0
        becomes = (number + right.ptr[left.batch])[mapped]
        alone = torch.ones_like(right.batch, dtype=torch.bool)  # these nodes of G2 are inserted
        alone[becomes] = False
        counts = right.totals(alone.long())
        ptr = offsets(left.sizes + counts)
        first = ranges(ptr[:-1], left.sizes)
        second = torch.zeros_like(right.batch).index_copy(0, becomes, first[mapped])
        second[alone] = ranges(ptr[:-1] + left.sizes, counts)
        pair = row_of(ptr)
        own, other = (
            torch.full_like(pair, -1).index_copy(0, place, torch.arange(len(place)).to(place))
            for place in (first, second)
        )
        both = (own >= 0) & (other >= 0)
        changed = (left.x[own[both]] != right.x[other[both]]).any(1) & featured
        of_nodes = torch.ones_like(pair, dtype=torch.double)
        of_nodes.masked_scatter_(both, changed.double())

        entries = _side_by_side(left, right, first, second, len(pair))
        edge, edges = numbered_edges(entries)
        low, high = (
            edge.new_empty(edges).scatter_(0, edge, end(entries.row, entries.column))
            for end in (torch.minimum, torch.maximum)
        )
        costs = torch.cat([of_nodes, _edge_costs(entries, edge, edges)])
        pairs = torch.cat([pair, pair[low]])
        return cls(left, right, own, other, entries, edge, low, high, pairs, costs)

    @property
    def from_left(self) -> Tensor:
        """Whether the path starts at G1, `[B]`: from the smaller graph to the larger."""
        return self.left.sizes <= self.right.sizes

    @property
    def shared(self) -> Tensor:
        """The places with a node of either graph, `[N]` bool; the others' nodes are inserted."""
        return (self.own >= 0) & (self.other >= 0)

    @cached_property
    def length(self) -> Tensor:
        """What the whole path costs, `[B]`, double."""
        return self.costs.new_zeros(len(self.left)).index_add_(0, self.pair, self.costs)

    def walked(self, lam: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Go along paths in random order, from G2 as far as `lam [B]` of their cost, to the nearest
        graph there is; in another order, for some tries, where it is torn.

        Return what is done, and which pairs are torn in all orders, `[B]`.
        """
        done = self._done(lam, generator)
        torn = self.torn(done)
        for _ in range(TRIES - 1):
            if not torn.any():
                break
            done = torch.where(torn[self.pair], self._done(lam, generator), done)
            torn = self.torn(done)
        return done, torn

    def _done(self, lam: Tensor, generator: torch.Generator) -> Tensor:
        """Return which operations come before lambda of the cost in a random order, `[N + E]`."""
        share = torch.where(self.from_left, 1 - lam.double(), lam.double())
        order = self._order(generator)
        pair, costs = self.pair[order], self.costs[order]
        before = costs.cumsum(0) - costs
        first = offsets(torch.bincount(pair, minlength=len(self.left)))[:-1]
        start = torch.cat([before, before.new_zeros(1)])[first]
        early = before - start[pair] + costs / 2 < (share * self.length)[pair]
        return torch.empty_like(early).index_copy(0, order, early | (share[pair] >= 1))

    def _order(self, generator: torch.Generator) -> Tensor:
        """Return the operations pair by pair in random order, edges behind nodes that they need."""
        drawn = torch.randint(1 << KEY_BITS, (len(self.pair),), generator=generator)
        nodes, own = drawn.to(self.pair.device).tensor_split([len(self.own)])
        ready = nodes.masked_fill(self.shared, 0)
        turn = torch.maximum(own, torch.maximum(ready[self.low], ready[self.high]))
        when = torch.cat([nodes << 1, (turn << 1) + 1])
        tie = torch.cat([torch.zeros_like(nodes), own])
        key = (((self.pair << KEY_BITS + 1) + when) << KEY_BITS) + tie
        return key.argsort(stable=True)

    def _as_right(self, done: Tensor) -> tuple[Tensor, Tensor]:
        """Return the places `[N]` and edges `[E]` that are as in G2."""
        nodes, edges = (done == self.from_left[self.pair]).tensor_split([len(self.own)])
        return nodes, edges

    def torn(self, done: Tensor) -> Tensor:
        """Return whether a graph has more connected parts than either of the two has, `[B]`."""
        of_left, of_right = (
            torch.bincount(self.edge[side[:, 0] != 0], minlength=len(self.low)) > 0
            for side in self.entries.weight.chunk(2, 1)
        )
        ends = self._parts(self.own >= 0, of_left), self._parts(self.other >= 0, of_right)
        edges = torch.where(self._as_right(done)[1], of_right, of_left)
        kept = done[: len(self.own)] | self.shared
        return self._parts(kept, edges) > torch.maximum(*ends)

    def _parts(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """Return how many connected parts some places `[N]` and edges `[E]` of each pair have."""
        low, high = (each[edges].cpu().numpy() for each in (self.low, self.high))
        entries = coo_array((np.ones(len(low)), (low, high)), shape=(len(nodes), len(nodes)))
        part = connected_components(entries, directed=False)[1]
        heads = torch.zeros_like(nodes)
        heads[torch.from_numpy(np.unique(part, return_index=True)[1]).to(nodes.device)] = True
        return torch.bincount(self.pair[: len(nodes)][heads & nodes], minlength=len(self.left))

    def graphs(self, done: Tensor, ratio: Tensor) -> Graphs:
        """Return the graphs where the pairs are; `ratio [B]` is the share of G1 in targets."""
        left, right, (nodes, edges) = self.left, self.right, self._as_right(done)
        kept = done[: len(self.own)] | self.shared
        from_right = torch.where(self.shared, nodes, self.own < 0)
        node = torch.where(from_right, left.num_nodes + self.other, self.own)[kept]

        def chosen(one: Tensor, two: Tensor) -> Tensor:
            return torch.cat([one, two]).index_select(0, node)

        of_left, of_right = self.entries.weight.chunk(2, 1)
        weight = torch.where(edges[self.edge].unsqueeze(1), of_right, of_left)
        there = weight[:, 0] != 0
        weight = weight if left.edge_attrs else weight.squeeze(1)
        entries = replace(self.entries, weight=weight).mask_entries(there)
        return left.with_edges(entries.subgraph(kept)).replace(
            x=chosen(left.x, right.x.to(left.x.dtype)),
            ptr=offsets(torch.bincount(self.pair[: len(kept)][kept], minlength=len(left))),
            set_id="",
            node_attrs={
                name: chosen(values, right.node_attrs[name])
                for name, values in left.node_attrs.items()
            },
            **mixed_targets(left, right, ratio),
        )


def _side_by_side(
    left: Graphs, right: Graphs, first: Tensor, second: Tensor, size: int
) -> SparseOperator:
    """Return the edges of both graphs between their places, see `EditPaths.entries`."""
    sides = []
    for graphs, place in ((left, first), (right, second)):
        edges = graphs.edges(left.edge_attrs).merged().scatter(place, size)
        width = edges.width
        gap = (0, width) if graphs is left else (width, 0)
        sides.append(replace(edges, weight=F.pad(edges.weight.view(-1, width), gap)))
    return sides[0] + sides[1]


def _edge_costs(entries: SparseOperator, edge: Tensor, edges: int) -> Tensor:
    """Return what changing each edge costs, `[E]`, double."""
    one, other = entries.weight.double().chunk(2, 1)
    once = torch.where(entries.row == entries.column, 1.0, 0.5)  # an edge has two directions
    apart = once * (one[:, 0] - other[:, 0]).abs()
    costs = apart.new_zeros(edges).index_add_(0, edge, apart)
    both = (one[:, 0] != 0) & (other[:, 0] != 0)
    gap = one[:, 1:] / one[:, :1] - other[:, 1:] / other[:, :1]
    costs[edge[both & (gap.abs() > ROUNDING).any(1)].unique()] += 1
    return costs


def weighted_graphs(graphs: Graphs, featured: bool) -> list[WeightedGraph]:
    """Return graphs as they are compared: weights count by their size, both directions of an edge
    together. A constant feature lets a node without others cost something to insert.
    """
    adj = graphs.adj.to("cpu")
    entries = (adj.weight.abs().double().numpy(), adj.column.numpy(), adj.row_ptr.numpy())
    rows = csr_matrix(entries, shape=adj.shape)
    rows = (rows + rows.T) / 2
    x = np.ones((graphs.num_nodes, 1))
    if featured:
        x = np.concatenate([x, graphs.x.cpu().double().numpy()], 1)
    spans = [slice(*each) for each in pairwise(graphs.ptr.tolist())]
    return [WeightedGraph(rows[span, span].toarray(), x[span]) for span in spans]


def node_map(left: WeightedGraph, right: WeightedGraph) -> Order:
    """Return the node of `right` that each node of `left` becomes on a cheap edit path, -1 if it is
    deleted.
    """
    problem = EditProblem.of(left, right, exponent=0.0)
    return problem.node_map(shortest_path(problem, STARTS))


@dataclass(frozen=True, eq=False)
class EditMaps(Partners):
    """Node maps of every training graph to K partners; the number of a partner is -1 where a graph
    has none.

    Attributes:
        number: `[K, n]`, the node of the partner that each node becomes, by its number there; -1 if
            there is none.
    """

    train: Graphs
    number: Tensor

    def draw(self, left: Graphs, generator: torch.Generator) -> tuple[Graphs, Tensor]:
        """Return one of K partners for every graph of a batch, and where its nodes go, `[n1]`."""
        pair = self.choose(left.ids, generator)
        turn, n = pair // len(self.train), self.number.size(1)
        places = ranges(turn * n + self.train.ptr[left.ids], left.sizes)
        return self.train[self.partner[pair]], self.number.flatten()[places]

    def to(self, device: torch.device | str) -> EditMaps:
        """Move everything to `device`."""
        return EditMaps(self.train.to(device), self.partner.to(device), self.number.to(device))


def find_maps(
    graphs: Graphs,
    chosen: Tensor,
    partners: int,
    featured: bool,
    generator: torch.Generator,
    report: Report = silent,
) -> EditMaps:
    """Find the maps of every chosen graph to its partners.

    Partners are drawn by a permutation of the graphs at `chosen [P]`, and every other time by its
    inverse: a map serves both ways.
    """
    rounds = -(-partners // 2)
    drawn = [torch.randperm(len(chosen), generator=generator) for _ in range(rounds)]
    compared = weighted_graphs(graphs[chosen], featured)
    first, starts = chosen.cpu(), graphs.ptr.cpu()[chosen.cpu()].tolist()
    partner = torch.full((2 * rounds, len(graphs)), -1)
    number = np.full((2 * rounds, graphs.num_nodes), DELETED)
    for turn, order in enumerate(drawn):
        partner[2 * turn, first], partner[2 * turn + 1, first[order]] = first[order], first
        for i, j in enumerate(order.tolist()):
            found = node_map(compared[i], compared[j])
            there = (found >= 0).nonzero()[0]
            number[2 * turn, starts[i] : starts[i] + len(found)] = found
            number[2 * turn + 1, starts[j] + found[there]] = there
            done = turn * len(chosen) + i + 1
            report(Progress("finding edit paths", done, rounds * len(chosen), unit="pairs"))
    kept = EditMaps(graphs, partner[:partners].flatten(), torch.from_numpy(number[:partners]))
    return kept.to(graphs.device)


def map_pairs(left: Graphs, right: Graphs, featured: bool) -> Tensor:
    """Return the node of its partner that each node becomes, `[n1]`, by its number there; -1 if
    there is none.
    """
    pairs = zip(weighted_graphs(left, featured), weighted_graphs(right, featured), strict=True)
    return torch.from_numpy(np.concatenate([node_map(*pair) for pair in pairs])).to(left.device)
