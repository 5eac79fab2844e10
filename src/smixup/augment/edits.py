"""Graphs on edit paths: every node and every edge is still that of one of the two graphs.
A path goes from the smaller graph to the larger one, in random order; maps of nodes are found once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
from scipy.sparse import coo_array, csr_matrix
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from smixup.augment.alignments import Partners
from smixup.augment.mixing import mixed_targets
from smixup.edits.problem import DELETED, EditProblem, Order, WeightedGraph
from smixup.edits.search import shortest_path
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets, ranges, row_of
from smixup.progress import Progress, Report, silent

ROUNDING = 1e-6
KEY_BITS = 20
"""Bits of the random number that puts an operation into its place."""
STARTS, TRIES = 4, 6
"""Random starts of a search, and orders of edits that are drawn until a mix is whole."""
REPORTED = 64
"""Pairs between two reports."""


@dataclass(frozen=True)
class EditedEdges:
    """The edges that either graph has between N places; E of them, both directions as one.

    Attributes:
        low, high: `[E]`, the places that an edge joins, sorted; one and the same for a loop.
        costs: `[E]`, how far the two weights are apart; one more where attributes differ.
        of_left, of_right: `[m1]`, `[m2]`, the edge of every entry of G1 and of G2.
    """

    low: Tensor
    high: Tensor
    costs: Tensor
    of_left: Tensor
    of_right: Tensor

    @classmethod
    def of(cls, left: Graphs, right: Graphs) -> EditedEdges:
        """List the edges of two graphs whose nodes are N places."""
        first, second = left.adj, right.adj
        size, m1 = first.num_columns, len(first.weight)
        row, column = torch.cat([first.row, second.row]), torch.cat([first.column, second.column])
        place, entry = torch.unique(row * size + column, return_inverse=True)
        weight = torch.cat([first.weight, -second.weight]).double()
        apart = weight.new_zeros(len(place)).index_add_(0, entry, weight).abs()
        i, j = place // size, place % size
        key = torch.minimum(i, j) * size + torch.maximum(i, j)  # the same in both directions
        key, edge = torch.unique(key, return_inverse=True)
        once = torch.where(i == j, 1.0, 0.5)  # an edge has two directions
        costs = apart.new_zeros(len(key)).index_add_(0, edge, once * apart)
        if left.edge_attrs:
            one, other = attribute_rows(left), attribute_rows(right)
            change = one.new_zeros(len(place), one.size(1))
            change.index_add_(0, entry, torch.cat([one, -other]))
            both = torch.bincount(entry, minlength=len(place)) == 2
            costs[edge[both & (change.abs() > ROUNDING).any(1)].unique()] += 1
        return cls(key // size, key % size, costs, *edge[entry].tensor_split([m1]))

    def there(self, of_side: Tensor) -> Tensor:
        """Return which edges are those of some entries, `[E]` bool."""
        return torch.bincount(of_side, minlength=len(self.low)) > 0


def attribute_rows(graphs: Graphs) -> Tensor:
    """Return the attributes of each entry of the adjacency side by side, `[m, k]`."""
    weight = graphs.adj.weight
    rows = torch.cat([*graphs.edge_attrs.values()], 1)
    return rows / weight.where(weight != 0, 1.0).unsqueeze(1)


@dataclass(frozen=True)
class EditPaths:
    """Edit paths between the graphs of B pairs.

    Nodes that are mapped to each other share a place; N places in all, and E edges between them.
    The operations of a path are those on places, then those on edges.

    Attributes:
        left, right: G1 and G2.
        own, other: `[N]`, the node of G1 and of G2 at each place; -1 where there is none.
        placed: G1 and G2 with their edges between places.
        edges: the edges that G1 or G2 has.
        pair: `[N + E]`, the pair of each operation.
        costs: `[N + E]`, what each operation costs, double.
    """

    left: Graphs
    right: Graphs
    own: Tensor
    other: Tensor
    placed: tuple[Graphs, Graphs]
    edges: EditedEdges
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
        placed = _between(left, first, len(pair)), _between(right, second, len(pair))
        edges = EditedEdges.of(*placed)
        pairs = torch.cat([pair, pair[edges.low]])
        both = (own >= 0) & (other >= 0)
        changed = (left.x[own[both]] != right.x[other[both]]).any(1) & featured
        of_nodes = edges.costs.new_ones(len(own)).masked_scatter_(both, changed.double())
        costs = torch.cat([of_nodes, edges.costs])
        return cls(left, right, own, other, placed, edges, pairs, costs)

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

    def parts(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """Return how many connected parts some places `[N]` and edges `[E]` of each pair have."""
        low, high = (each[edges].cpu().numpy() for each in (self.edges.low, self.edges.high))
        entries = coo_array((np.ones(len(low)), (low, high)), shape=(len(nodes), len(nodes)))
        part = connected_components(entries, directed=False)[1]
        heads = torch.zeros_like(nodes)
        heads[torch.from_numpy(np.unique(part, return_index=True)[1]).to(nodes.device)] = True
        return torch.bincount(self.pair[: len(nodes)][heads & nodes], minlength=len(self.left))

    def walked(self, lam: Tensor, generator: torch.Generator) -> Walked:
        """Go along paths in random order, from G2 as far as `lam [B]` of their cost, to the nearest
        graph there is; in another order, for some tries, where it is torn.
        """
        walked = Walked(self, self._done(lam, generator))
        for _ in range(TRIES - 1):
            if not (torn := walked.torn).any():
                break
            again = self._done(lam, generator)
            walked = Walked(self, torch.where(torn[self.pair], again, walked.done))
        return walked

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
        edges, device = self.edges, self.pair.device
        drawn = torch.randint(1 << KEY_BITS, (len(self.pair),), generator=generator).to(device)
        nodes, own = drawn.tensor_split([len(self.own)])
        ready = nodes.masked_fill(self.shared, 0)
        turn = torch.maximum(own, torch.maximum(ready[edges.low], ready[edges.high]))
        when = torch.cat([nodes << 1, (turn << 1) + 1])
        tie = torch.cat([torch.zeros_like(nodes), own])
        key = (((self.pair << KEY_BITS + 1) + when) << KEY_BITS) + tie
        return key.argsort(stable=True)


def _between(graphs: Graphs, place: Tensor, size: int) -> Graphs:
    return graphs.map_edges(lambda edges: edges.merged().scatter(place, size))


@dataclass(frozen=True)
class Walked:
    """How far the pairs have gone on their paths: which operations are done, `[N + E]` bool."""

    paths: EditPaths
    done: Tensor

    @property
    def kept(self) -> Tensor:
        """The places with a node now, `[N]` bool."""
        return self.done[: len(self.paths.own)] | self.paths.shared

    @property
    def as_right(self) -> tuple[Tensor, Tensor]:
        """The places `[N]` and edges `[E]` that are as in G2."""
        right = self.done == self.paths.from_left[self.paths.pair]
        nodes, edges = right.tensor_split([len(self.paths.own)])
        return nodes, edges

    @cached_property
    def torn(self) -> Tensor:
        """Whether a graph has more connected parts than either of the two has, `[B]`."""
        paths, edges = self.paths, self.paths.edges
        own, other = edges.there(edges.of_left), edges.there(edges.of_right)
        ends = paths.parts(paths.own >= 0, own), paths.parts(paths.other >= 0, other)
        now = paths.parts(self.kept, torch.where(self.as_right[1], other, own))
        return now > torch.maximum(*ends)

    def graphs(self, ratio: Tensor) -> Graphs:
        """Return the graphs where the pairs are; `ratio [B]` is the share of G1 in targets."""
        paths, left, right = self.paths, self.paths.left, self.paths.right
        kept, (nodes, edges) = self.kept, self.as_right
        from_right = torch.where(paths.shared, nodes, paths.own < 0)
        node = torch.where(from_right, left.num_nodes + paths.other, paths.own)[kept]

        def chosen(one: Tensor, two: Tensor) -> Tensor:
            return torch.cat([one, two]).index_select(0, node)

        one, other = paths.placed
        A1, A2 = one.edges(), other.edges(one.edge_attrs)
        first = A1.mask_entries(~edges[paths.edges.of_left])
        there = first.add_unmerged(A2.mask_entries(edges[paths.edges.of_right])).subgraph(kept)
        return left.with_edges(there).replace(
            x=chosen(left.x, right.x.to(left.x.dtype)),
            ptr=offsets(torch.bincount(paths.pair[: len(kept)][kept], minlength=len(left))),
            set_id="",
            node_attrs={
                name: chosen(values, right.node_attrs[name])
                for name, values in left.node_attrs.items()
            },
            **mixed_targets(left, right, ratio),
        )


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
    done, total = 0, rounds * len(chosen)
    for turn, order in enumerate(drawn):
        partner[2 * turn, first], partner[2 * turn + 1, first[order]] = first[order], first
        for i, j in enumerate(order.tolist()):
            found = node_map(compared[i], compared[j])
            there = (found >= 0).nonzero()[0]
            number[2 * turn, starts[i] : starts[i] + len(found)] = found
            number[2 * turn + 1, starts[j] + found[there]] = there
            done += 1
            if done % REPORTED == 0 or done == total:
                report(Progress("finding edit paths", done, total, unit="pairs"))
    kept = EditMaps(graphs, partner[:partners].flatten(), torch.from_numpy(number[:partners]))
    return kept.to(graphs.device)


def map_pairs(left: Graphs, right: Graphs, featured: bool) -> Tensor:
    """Return the node of its partner that each node becomes, `[n1]`, by its number there; -1 if
    there is none.
    """
    pairs = zip(weighted_graphs(left, featured), weighted_graphs(right, featured), strict=True)
    return torch.from_numpy(np.concatenate([node_map(*pair) for pair in pairs])).to(left.device)
