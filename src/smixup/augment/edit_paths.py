"""Graphs on edit paths: half-way from one graph to another, every node and every edge is still that
of one of the two.

A path goes from the smaller graph to the larger one. Its operations come in a random order, in
which an edge waits for the nodes that it needs; the first of them, up to a share of the cost of
all, make the graph that lies so far on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from smixup.augment.edited_edges import EditedEdges
from smixup.augment.mixing import mixed_targets
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.graphs.ragged import offsets, ranges, row_of

KEY_BITS = 20
"""Bits of the random number that puts an operation into its place."""


@dataclass(frozen=True)
class EditPaths:
    """Edit paths between the graphs of B pairs, along maps of their nodes.

    Nodes that are mapped to each other share a place; N places in all.

    Attributes:
        left: G1.
        right: G2, of which all nodes are mapped if it is the smaller one.
        node_map: `[n1]`, the node of `right` that a node of `left` becomes; -1 if it has none. All
            nodes of the smaller graph of a pair have one.
        exponent: of what changing a node costs, see `EditCosts`: 0 counts the nodes that change, 1
            takes the length of the difference of their features. An edge costs the difference of
            its weights, and one more if its attributes change.
        compares_features: whether features make nodes differ; not where they were made of degrees.
    """

    left: Graphs
    right: Graphs
    node_map: Tensor
    exponent: float = 0.0
    compares_features: bool = True

    @cached_property
    def from_left(self) -> Tensor:
        """Whether the path starts at G1, `[B]`: from the smaller graph to the larger."""
        return self.left.sizes <= self.right.sizes

    @cached_property
    def alone(self) -> Tensor:
        """The nodes of G2 that no node of G1 becomes, `[n2]` bool."""
        mapped = self.node_map[self.node_map >= 0]
        every = torch.ones(self.right.num_nodes, dtype=torch.bool, device=self.node_map.device)
        return every.index_fill(0, mapped, False)

    @cached_property
    def ptr(self) -> Tensor:
        """Where the places of each pair begin, `[B + 1]`: first those of G1, then of G2 alone."""
        return offsets(self.left.sizes + self.right.totals(self.alone.long()))

    @cached_property
    def pair(self) -> Tensor:
        """The pair of each place, `[N]`."""
        return row_of(self.ptr)

    @cached_property
    def places(self) -> tuple[Tensor, Tensor]:
        """The place of each node of G1 `[n1]`, and of G2 `[n2]`."""
        left, right = self.left, self.right
        own = ranges(self.ptr[:-1], left.sizes)
        mapped = self.node_map >= 0
        other = torch.zeros_like(right.batch).index_copy(0, self.node_map[mapped], own[mapped])
        counts = right.totals(self.alone.long())
        other[self.alone] = ranges(self.ptr[:-1] + left.sizes, counts)
        return own, other

    @cached_property
    def behind(self) -> tuple[Tensor, Tensor]:
        """The node of G1 and the node of G2 at each place, `[N]` each; -1 where there is none."""
        found = []
        for place in self.places:
            nowhere = place.new_full((int(self.ptr[-1]),), -1)
            found.append(
                nowhere.index_copy(0, place, torch.arange(len(place), device=place.device))
            )
        return found[0], found[1]

    @cached_property
    def shared(self) -> Tensor:
        """The places with a node of either graph, `[N]` bool; the others' nodes are inserted."""
        return (self.behind[0] >= 0) & (self.behind[1] >= 0)

    @cached_property
    def placed(self) -> tuple[Graphs, Graphs]:
        """G1 and G2 with their edges between places."""
        left, right = (
            graphs.map_edges(partial(_between, place, int(self.ptr[-1])))
            for graphs, place in zip((self.left, self.right), self.places, strict=True)
        )
        return left, right

    @cached_property
    def edges(self) -> EditedEdges:
        """The edges that G1 or G2 has."""
        return EditedEdges.of(*self.placed)

    @cached_property
    def node_costs(self) -> Tensor:
        """What inserting or changing each node costs, `[N]`, double."""
        costs = torch.ones_like(self.pair, dtype=torch.double)
        both = self.shared
        i, j = (each[both] for each in self.behind)
        if not self.compares_features:
            return costs.masked_fill(both, 0.0)
        x1, x2 = self.left.x[i], self.right.x[j]
        if self.exponent == 0:
            return costs.masked_scatter_(both, (x1 != x2).any(1).double())
        costs = self._lengths()
        return costs.masked_scatter_(both, (x1.double() - x2.double()).norm(dim=1))

    def _lengths(self) -> Tensor:
        """Return the length of the features and a constant one of each place's node, `[N]`."""
        x = torch.cat([self.left.x, self.right.x]).double()
        own, other = self.behind
        node = torch.where(own >= 0, own, self.left.num_nodes + other)
        return (1 + x[node].square().sum(1)).sqrt()

    @cached_property
    def length(self) -> Tensor:
        """What the whole path costs, `[B]`, double."""
        return self.totals(self.edit_pairs, self.edit_costs)

    @cached_property
    def edit_pairs(self) -> Tensor:
        """The pair of each operation: those of the N places, then those of edges."""
        return torch.cat([self.pair, self.pair[self.edges.low]])

    @cached_property
    def edit_costs(self) -> Tensor:
        """What each operation costs, double."""
        return torch.cat([self.node_costs, self.edges.costs])

    def totals(self, pair: Tensor, values: Tensor) -> Tensor:
        """Add up numbers `[k]` by the pair that they belong to, `[B]`."""
        return values.new_zeros(len(self.left)).index_add_(0, pair, values)

    @cached_property
    def most_parts(self) -> Tensor:
        """Connected parts of the graph of each pair that has more, `[B]`."""
        own, other = (each >= 0 for each in self.behind)
        sides = self.parts(own, self.edges.in_left), self.parts(other, self.edges.in_right)
        return torch.maximum(*sides)

    def parts(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """Return how many connected parts each pair has, with some places and edges alone, `[B]`.

        Args:
            nodes: `[N]` bool.
            edges: `[E]` bool, none with an end at a place that is left out.
        """
        low, high = (each[edges].cpu().numpy() for each in (self.edges.low, self.edges.high))
        entries = coo_array((np.ones(len(low)), (low, high)), shape=(len(nodes), len(nodes)))
        part = connected_components(entries, directed=False)[1]
        heads = torch.zeros_like(nodes)
        heads[torch.from_numpy(np.unique(part, return_index=True)[1]).to(nodes.device)] = True
        return torch.bincount(self.pair[heads & nodes], minlength=len(self.left))

    def walked(self, lam: Tensor, generator: torch.Generator) -> Walked:
        """Go along paths in random order, from G2 as far as `lam [B]` of their cost, to the nearest
        graph there is.
        """
        share = torch.where(self.from_left, 1 - lam.double(), lam.double())
        order = self._order(generator)
        pair, costs = self.edit_pairs[order], self.edit_costs[order]
        before = costs.cumsum(0) - costs
        first = offsets(torch.bincount(pair, minlength=len(self.left)))[:-1]
        start = torch.cat([before, before.new_zeros(1)])[first]
        goal = share * self.length
        early = before - start[pair] + costs / 2 < goal[pair]
        done = torch.empty_like(early).index_copy(0, order, early | (share[pair] >= 1))
        return Walked(self, done[: len(self.pair)], done[len(self.pair) :])

    def at_left(self) -> Walked:
        """Stay at G1."""
        edge_pair = self.pair[self.edges.low]
        return Walked(self, ~self.from_left[self.pair], ~self.from_left[edge_pair])

    def _order(self, generator: torch.Generator) -> Tensor:
        """Return the operations pair by pair in random order, edges behind nodes that they need."""
        N, edges, device = len(self.pair), self.edges, self.pair.device
        drawn = torch.randint(1 << KEY_BITS, (N + len(edges.low),), generator=generator).to(device)
        own = drawn[N:]
        ready = drawn[:N].masked_fill(self.shared, 0)
        turn = torch.maximum(own, torch.maximum(ready[edges.low], ready[edges.high]))
        when = torch.cat([drawn[:N] << 1, (turn << 1) + 1])
        tie = torch.cat([torch.zeros_like(drawn[:N]), own])
        key = (((self.edit_pairs << KEY_BITS + 1) + when) << KEY_BITS) + tie
        return key.argsort(stable=True)


@dataclass(frozen=True)
class Walked:
    """How far the pairs have gone on their paths.

    Attributes:
        paths: the paths.
        nodes: `[N]`, whether the node at a place was inserted or changed.
        edges: `[E]`, whether an edge was.
    """

    paths: EditPaths
    nodes: Tensor
    edges: Tensor

    def as_right(self, done: Tensor, place: Tensor | None = None) -> Tensor:
        """Tell what is as in G2, of operations that are done or not, at places (all by default)."""
        pair = self.paths.pair if place is None else self.paths.pair[place]
        return done == self.paths.from_left[pair]

    @property
    def torn(self) -> Tensor:
        """Whether a graph has more connected parts than either of the two has, `[B]`."""
        paths, edges = self.paths, self.paths.edges
        now = torch.where(self.as_right(self.edges, edges.low), edges.in_right, edges.in_left)
        return paths.parts(self.nodes | paths.shared, now) > paths.most_parts

    def where(self, chosen: Tensor, other: Walked) -> Walked:
        """Take the chosen pairs, `[B]` bool, from here, and the rest from another walk."""
        paths = self.paths
        nodes = torch.where(chosen[paths.pair], self.nodes, other.nodes)
        edges = torch.where(chosen[paths.pair[paths.edges.low]], self.edges, other.edges)
        return replace(self, nodes=nodes, edges=edges)

    @property
    def share(self) -> Tensor:
        """The share of G1 by the cost that was paid, `[B]`; NaN where the two graphs are one."""
        paths = self.paths
        done = torch.cat([self.nodes, self.edges])
        paid = paths.totals(paths.edit_pairs, paths.edit_costs * done) / paths.length
        return torch.where(paths.from_left, 1 - paid, paid)

    def graphs(self, ratio: Tensor) -> Graphs:
        """Return the graphs where the pairs are; `ratio [B]` is the share of G1 in targets."""
        paths, (own, other) = self.paths, self.paths.behind
        left, right = paths.left, paths.right
        kept = self.nodes | paths.shared
        second = torch.where(paths.shared, self.as_right(self.nodes), own < 0)
        node = torch.where(second, left.num_nodes + other, own)[kept]

        def chosen(one: Tensor, two: Tensor) -> Tensor:
            return torch.cat([one, two]).index_select(0, node)

        return left.replace(
            x=chosen(left.x, right.x.to(left.x.dtype)),
            adj=self._joined(*(each.adj for each in paths.placed)).subgraph(kept),
            ptr=offsets(torch.bincount(paths.pair[kept], minlength=len(left))),
            set_id="",
            edge_attrs={
                name: tuple(
                    self._joined(*pair).subgraph(kept)
                    for pair in zip(*(each.edge_attrs[name] for each in paths.placed), strict=True)
                )
                for name in left.edge_attrs
            },
            node_attrs={
                name: chosen(values, right.node_attrs[name])
                for name, values in left.node_attrs.items()
            },
            **mixed_targets(left, right, ratio),
        )

    def _joined(self, A1: Operator, A2: Operator) -> SparseOperator:
        """Return the entries of either graph that are there now, `[N, N]`."""
        first, second = A1.to_sparse(), A2.to_sparse()
        taken = self.as_right(self.edges, self.paths.edges.low)
        own, other = (self.paths.edges.at(each) for each in (first, second))
        return first.mask_entries(~taken[own]).add_unmerged(second.mask_entries(taken[other]))


def _between(place: Tensor, size: int, edges: Operator) -> SparseOperator:
    return edges.to_sparse().merged().scatter(place, size)
