"""Graphs on edit paths: half-way from one graph to another, every node and every edge is still that
of one of the two.

A path goes from the smaller graph to the larger one. Its operations come in a random order, in
which an edge waits for the nodes that it needs; the first of them, up to a share of the cost of
all, make the graph that lies so far on the way. Maps of nodes are found once per pair.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from smixup.edits.problem import DELETED, UNIT, EditCosts, NodeMap, WeightedGraph
from smixup.edits.search import edit_distance
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges, row_of
from smixup.progress import Progress, Report, silent
from smixup.ranges import Natural, RangedFields, Rounds

ROUNDING = 1e-6


@dataclass(frozen=True)
class EditedEdges:
    """The edges that either graph has between N places; E of them, both directions as one.

    Attributes:
        low, high: `[E]`, the places that an edge joins, sorted; one and the same for a loop.
        costs: `[E]`, double: how far the weights of the two graphs are apart, and one more where
            both have the edge and its attributes differ.
        in_left, in_right: `[E]`, whether G1 and G2 have it.
        keys: `[E]`, a number for both ends, in rising order.
    """

    low: Tensor
    high: Tensor
    costs: Tensor
    in_left: Tensor
    in_right: Tensor
    keys: Tensor

    @classmethod
    def of(cls, left: Graphs, right: Graphs) -> EditedEdges:
        """List the edges of two graphs whose nodes are N places."""
        first, second = left.adj, right.adj
        size, m1 = first.num_columns, len(first.weight)
        row, column = torch.cat([first.row, second.row]), torch.cat([first.column, second.column])
        place, entry = torch.unique(row * size + column, return_inverse=True)
        weight = torch.cat([first.weight, -second.weight]).double()
        apart = weight.new_zeros(len(place)).index_add_(0, entry, weight).abs()
        key, edge = torch.unique(_key(place // size, place % size, size), return_inverse=True)
        once = torch.where(place // size == place % size, 1.0, 0.5)  # an edge has two directions
        costs = apart.new_zeros(len(key)).index_add_(0, edge, once * apart)
        if left.edge_attrs:
            changed = _changed(attribute_rows(left), attribute_rows(right), entry, len(place))
            costs += torch.zeros_like(costs).index_fill_(0, edge[changed], 1.0)
        none = torch.zeros_like(key, dtype=torch.bool)
        own, other = (none.index_fill(0, edge[side], True) for side in entry.tensor_split([m1]))
        return cls(key // size, key % size, costs, own, other, key)

    def at(self, adj: SparseOperator) -> Tensor:
        """Return which edge each entry of a map belongs to, `[m]`; none is at another place."""
        return torch.searchsorted(self.keys, _key(adj.row, adj.column, adj.num_columns))


def attribute_rows(graphs: Graphs) -> Tensor:
    """Return the attributes of each entry of the adjacency side by side, `[m, k]`."""
    weight = graphs.adj.weight
    rows = torch.cat([*graphs.edge_attrs.values()], 1)
    return rows / weight.where(weight != 0, 1.0).unsqueeze(1)


def _changed(first: Tensor, second: Tensor, entry: Tensor, size: int) -> Tensor:
    """Tell at which of `size` places both graphs have an entry, with different attributes."""
    apart = first.new_zeros(size, first.size(1))
    apart.index_add_(0, entry, torch.cat([first, -second]))
    both = torch.bincount(entry, minlength=size) == 2
    return both & (apart.abs() > ROUNDING).any(1)


def _key(row: Tensor, column: Tensor, size: int) -> Tensor:
    """Number the pairs of places `[m]`, the same in both directions."""
    return torch.minimum(row, column) * size + torch.maximum(row, column)


KEY_BITS = 20
"""Bits of the random number that puts an operation into its place."""


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
    def along(
        cls,
        left: Graphs,
        right: Graphs,
        node_map: Tensor,
        exponent: float = 0.0,
        compares_features: bool = True,
    ) -> EditPaths:
        """Find the operations of paths along maps of nodes.

        Args:
            left: G1.
            right: G2, of which all nodes are mapped if it is the smaller one.
            node_map: `[n1]`, the node of `right` that a node of `left` becomes; -1 if it has none.
                All nodes of the smaller graph of a pair have one.
            exponent: of what changing a node costs, see `EditCosts`: 0 counts the nodes that
                change, 1 takes the length of the difference of their features. An edge costs the
                difference of its weights, and one more if its attributes change.
            compares_features: whether features make nodes differ; not where they were made of
                degrees.
        """
        mapped = node_map >= 0
        alone = torch.ones_like(right.batch, dtype=torch.bool)
        alone = alone.index_fill(0, node_map[mapped], False)  # these nodes of G2 are inserted
        counts = right.totals(alone.long())
        ptr = offsets(left.sizes + counts)
        first = ranges(ptr[:-1], left.sizes)
        second = torch.zeros_like(right.batch).index_copy(0, node_map[mapped], first[mapped])
        second[alone] = ranges(ptr[:-1] + left.sizes, counts)
        pair = row_of(ptr)
        own, other = (
            torch.full_like(pair, -1).index_copy(0, place, torch.arange(len(place)).to(place))
            for place in (first, second)
        )
        placed = _between(left, first, len(pair)), _between(right, second, len(pair))
        edges = EditedEdges.of(*placed)
        costs = _node_costs(left, right, own, other, exponent if compares_features else None)
        return cls(
            left,
            right,
            own,
            other,
            placed,
            edges,
            torch.cat([pair, pair[edges.low]]),
            torch.cat([costs, edges.costs]),
        )

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
        return self.totals(self.costs)

    def totals(self, values: Tensor) -> Tensor:
        """Add up numbers of operations `[N + E]` by pair, `[B]`."""
        return values.new_zeros(len(self.left)).index_add_(0, self.pair, values)

    @cached_property
    def most_parts(self) -> Tensor:
        """Connected parts of the graph of each pair that has more, `[B]`."""
        own = self.parts(self.own >= 0, self.edges.in_left)
        return torch.maximum(own, self.parts(self.other >= 0, self.edges.in_right))

    def parts(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """Return how many connected parts each pair has, with some places `[N]` and edges `[E]`
        alone, `[B]`; no edge has an end at a place that is left out.
        """
        low, high = (each[edges].cpu().numpy() for each in (self.edges.low, self.edges.high))
        entries = coo_array((np.ones(len(low)), (low, high)), shape=(len(nodes), len(nodes)))
        part = connected_components(entries, directed=False)[1]
        heads = torch.zeros_like(nodes)
        heads[torch.from_numpy(np.unique(part, return_index=True)[1]).to(nodes.device)] = True
        return torch.bincount(self.pair[: len(nodes)][heads & nodes], minlength=len(self.left))

    def walked(self, lam: Tensor, generator: torch.Generator) -> Walked:
        """Go along paths in random order, from G2 as far as `lam [B]` of their cost, to the nearest
        graph there is.
        """
        share = torch.where(self.from_left, 1 - lam.double(), lam.double())
        order = self._order(generator)
        pair, costs = self.pair[order], self.costs[order]
        before = costs.cumsum(0) - costs
        first = offsets(torch.bincount(pair, minlength=len(self.left)))[:-1]
        start = torch.cat([before, before.new_zeros(1)])[first]
        goal = share * self.length
        early = before - start[pair] + costs / 2 < goal[pair]
        return Walked(
            self, torch.empty_like(early).index_copy(0, order, early | (share[pair] >= 1))
        )

    def at_left(self) -> Walked:
        """Stay at G1."""
        return Walked(self, ~self.from_left[self.pair])

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


def _node_costs(
    left: Graphs, right: Graphs, own: Tensor, other: Tensor, exponent: float | None
) -> Tensor:
    """Return what inserting or changing each node costs, `[N]`, double; None: changes are free."""
    both = (own >= 0) & (other >= 0)
    costs = torch.ones_like(own, dtype=torch.double)
    if exponent is None:
        return costs.masked_fill(both, 0.0)
    x1, x2 = left.x[own[both]], right.x[other[both]]
    if exponent == 0:
        return costs.masked_scatter_(both, (x1 != x2).any(1).double())
    x = torch.cat([left.x, right.x]).double()
    node = torch.where(own >= 0, own, left.num_nodes + other)
    lengths = (1 + x[node].square().sum(1)).sqrt()  # of the features and a constant one
    return lengths.masked_scatter_(both, (x1.double() - x2.double()).norm(dim=1))


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

    @property
    def torn(self) -> Tensor:
        """Whether a graph has more connected parts than either of the two has, `[B]`."""
        paths, edges = self.paths, self.paths.edges
        now = torch.where(self.as_right[1], edges.in_right, edges.in_left)
        return paths.parts(self.kept, now) > paths.most_parts

    def where(self, chosen: Tensor, other: Walked) -> Walked:
        """Take the chosen pairs, `[B]` bool, from here, and the rest from another walk."""
        return Walked(self.paths, torch.where(chosen[self.paths.pair], self.done, other.done))

    @property
    def share(self) -> Tensor:
        """The share of G1 by the cost that was paid, `[B]`; NaN where the two graphs are one."""
        paths = self.paths
        paid = paths.totals(paths.costs * self.done) / paths.length
        return torch.where(paths.from_left, 1 - paid, paid)

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
        first, second = (edges[paths.edges.at(each)] for each in (A1, A2))
        there = A1.mask_entries(~first).add_unmerged(A2.mask_entries(second)).subgraph(kept)
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


ENUMERATED = 4_000_000
"""How many numbers an enumeration may keep at once; nine nodes need fewer."""
REPORTED = 64
"""Pairs between two reports."""


@dataclass(frozen=True)
class MapSearch(RangedFields):
    """Searches for the node map of a cheap edit path.

    Attributes:
        costs: of the operations.
        starts: random starts of the search.
        exact_nodes: up to so many nodes, all maps are gone through, unless there are too many.
        by_features: whether changing features costs anything; not where they were made of degrees.
    """

    costs: EditCosts = UNIT
    starts: Rounds = 4
    exact_nodes: Natural = 9
    by_features: bool = True

    def __call__(self, left: WeightedGraph, right: WeightedGraph) -> NodeMap:
        """Return the node of `right` that each node of `left` becomes, -1 for those that are
        deleted.
        """
        small = max(len(left), len(right)) <= self.exact_nodes
        limit = ENUMERATED if small else 0
        return edit_distance(left, right, self.costs, (), self.starts, limit).node_map

    def prepared(self, graphs: Graphs) -> Sequence[WeightedGraph]:
        """Return graphs as they are compared.

        A node has a constant feature besides its own, so that one without features costs something
        to insert. Weights count by their size, and both directions of an edge together.
        """
        adj = graphs.adj.to("cpu")
        entries = (adj.weight.abs().double().numpy(), adj.column.numpy(), adj.row_ptr.numpy())
        rows = csr_matrix(entries, shape=adj.shape)
        x = np.ones((graphs.num_nodes, 1))
        if self.by_features:
            x = np.concatenate([x, graphs.x.cpu().double().numpy()], 1)
        spans = [slice(*each) for each in pairwise(graphs.ptr.tolist())]
        blocks = [rows[span, span].toarray() for span in spans]
        pairs = zip(blocks, spans, strict=True)
        return [WeightedGraph.of((A + A.T) / 2, x[span]) for A, span in pairs]


@dataclass(frozen=True)
class EditMaps(Partners):
    """Node maps of every training graph to K partners.

    Attributes:
        train: the training graphs, G of them with n nodes.
        partner: `[K * G]`, the number of each pair's second graph; -1 where a graph has none.
        node_map: `[K, n]`, the node of the partner that each node becomes, by its number there; -1
            if there is none.
    """

    train: Graphs
    partner: Tensor
    node_map: Tensor

    def attributes(self, kind: str) -> Collection[str]:
        names: Collection[str] = getattr(self.train, kind)
        return names

    def draw(self, left: Graphs, generator: torch.Generator) -> tuple[Graphs, Tensor]:
        """Return one of K partners for every graph of a batch, and where its nodes go, `[n1]`."""
        pair = self.choose(left.ids, generator)
        turn, n = pair // self.num_graphs, self.node_map.size(1)
        first = turn * n + self.train.ptr[left.ids]
        number = self.node_map.flatten()[ranges(first, left.sizes)]
        right = self.train[self.partner[pair]]
        return right, within(number, left, right)

    def to(self, device: torch.device | str) -> EditMaps:
        """Move everything to `device`."""
        partner, node_map = self.partner.to(device), self.node_map.to(device)
        return EditMaps(self.train.to(device), partner, node_map)


def within(number: Tensor, left: Graphs, right: Graphs) -> Tensor:
    """Return numbers of nodes in their graph `[n1]` as those in `right`; -1 stays."""
    return torch.where(number >= 0, number + right.ptr[left.batch], number)


def find_maps(
    graphs: Graphs,
    chosen: Tensor,
    partners: int,
    search: MapSearch,
    generator: torch.Generator,
    report: Report = silent,
) -> EditMaps:
    """Find the maps of every chosen graph to its partners.

    Partners are drawn by a permutation of the graphs at `chosen [P]`, and every other time by its
    inverse: a map serves both ways.
    """
    rounds = -(-partners // 2)
    drawn = [torch.randperm(len(chosen), generator=generator) for _ in range(rounds)]
    prepared = search.prepared(graphs[chosen])
    first, starts = chosen.cpu(), graphs.ptr.cpu()[chosen.cpu()].tolist()
    partner = torch.full((2 * rounds, len(graphs)), -1)
    node_map = np.full((2 * rounds, graphs.num_nodes), DELETED)
    done, total = 0, rounds * len(chosen)
    for turn, order in enumerate(drawn):
        partner[2 * turn, first], partner[2 * turn + 1, first[order]] = first[order], first
        for i, j in enumerate(order.tolist()):
            found = np.asarray(search(prepared[i], prepared[j]), dtype=np.int64)
            there = (found >= 0).nonzero()[0]
            node_map[2 * turn, starts[i] : starts[i] + len(found)] = found
            node_map[2 * turn + 1, starts[j] + found[there]] = there
            done += 1
            if done % REPORTED == 0 or done == total:
                report(Progress("finding edit paths", done, total, unit="pairs"))
    kept = EditMaps(graphs, partner[:partners].flatten(), torch.from_numpy(node_map[:partners]))
    return kept.to(graphs.device)


def map_pairs(left: Graphs, right: Graphs, search: MapSearch) -> Tensor:
    """Return the node of `right` that each node of `left` becomes, `[n1]`; -1 if there is none."""
    pairs = zip(search.prepared(left), search.prepared(right), strict=True)
    number = [node for one, other in pairs for node in search(one, other)]
    return within(torch.tensor(number, dtype=torch.long).to(left.device), left, right)
