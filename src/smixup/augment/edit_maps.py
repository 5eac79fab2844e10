"""Node maps of edit paths, found once per pair: which node of G2 a node of G1 becomes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.augment.alignments import Partners
from smixup.edits.edit_costs import UNIT, EditCosts
from smixup.edits.edit_distance import edit_distance
from smixup.edits.edit_problem import DELETED, NodeMap
from smixup.edits.weighted_graph import WeightedGraph
from smixup.graphs import Graphs
from smixup.graphs.ragged import ranges
from smixup.progress import Progress, Report, silent
from smixup.ranges import Natural, RangedFields, Rounds

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
        adj = graphs.adj.to_sparse().to("cpu")
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

    @property
    def stored(self) -> Tensor:  # type: ignore[override]
        """Something as long as there are pairs."""
        return self.partner

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

    Partners are drawn by a permutation of the chosen graphs, and every other time by its inverse: a
    map serves both ways.

    Args:
        graphs: the training split, G graphs.
        chosen: `[P]`, the places of those that have partners, and are partners.
        partners: K.
        search: for the map of a pair.
        generator: the source of randomness.
        report: told how many pairs are done.
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
