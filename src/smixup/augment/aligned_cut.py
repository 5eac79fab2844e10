"""A cut along the alignment: a connected part of G1 gives way to the part of G2 that is aligned
with it, so that every node and every edge is one of either graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.growth import by_hops, grown
from smixup.augment.mixing import in_rows, mixed_targets, with_degrees
from smixup.augment.smixup import AlignedMixing
from smixup.graphs import Graphs, SparseOperator
from smixup.matching.assign import one_to_one
from smixup.settings import NotNegative

MATCHED = "has a counterpart"
"""The attribute of G2' that marks the nodes which come from G2."""


@dataclass
class AlignedCut(AlignedMixing):
    """Replaces a connected part of G1 by its counterpart in G2.

    Example::

        cut = AlignedCut(GraphMatcher(), alpha=1.0).fit(train_dataset)
        for batch in DataLoader(train_dataset, 256, shuffle=True):
            batch = cut(batch)               # originals first, then mixes; y is soft, [B', C]

    The part S grows breadth first from a random node of G1 to about `(1 - lam) n1` nodes, less
    where the component of that node has fewer. Within S, nodes and edges are those of G2; outside
    and across its border they are those of G1, and so is a node of S without counterpart, with its
    edges. The share of G2 in the target is its share in the weight of the mix's edges, or in the
    nodes where there are none.

    A matcher that is not one to one is rounded. Where features are degrees, a mix has those of its
    own degrees.
    """

    alpha: NotNegative = 1.0

    purpose: ClassVar[str] = "s-cut"

    def assignment(self, left: Graphs, right: Graphs) -> SparseOperator:
        """Return M along which pairs are cut, one to one."""
        return one_to_one(super().assignment(left, right), left, right)

    def carry(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        return placed(M, left, right)

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        """Return G1 with a part of about `(1 - lam) n1` nodes from G2', `lam [B]`."""
        part = grown(left, ((1 - lam) * left.sizes).round(), by_hops, self.random)
        return with_degrees(cut(left, moved, part))


def placed(M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
    """Return G2' with the nodes of G2 themselves: each at the node of G1 that it is matched with.

    All attributes of nodes come with them, whole numbers and masks too. A node of G1 without
    counterpart keeps its own, and has no edges; a node of G2 that found no place is dropped with
    its edges. An assignment that is not one to one is rounded before.
    """
    matches = one_to_one(M, left, right)
    i, j = matches.row, matches.column
    place = torch.full_like(right.batch, -1).index_copy(0, j, i)
    has_place = place >= 0

    def moved(edges: SparseOperator) -> SparseOperator:
        return edges.subgraph(has_place).scatter(place[has_place], left.num_nodes)

    marks = torch.zeros_like(left.batch, dtype=torch.bool).index_fill(0, i, True)
    return right.map_edges(moved).replace(
        x=left.x.index_copy(0, i, right.x[j]),
        ptr=left.ptr,
        node_attrs={
            name: left.node_attrs[name].index_copy(0, i, values[j])
            for name, values in right.node_attrs.items()
        }
        | {MATCHED: marks},
    )


def cut(left: Graphs, right: Graphs, part: Tensor) -> Graphs:
    """Return G1 with the nodes of `part [n1]` that have a counterpart, and the edges among them, as
    they are in G2', which `placed` makes. G2's share in targets is that of its edges' weight, or of
    nodes if there are no edges.
    """
    taken = part & right.node_attrs[MATCHED]

    def within(edges: SparseOperator, there: bool = True) -> SparseOperator:
        return edges.mask_entries((taken[edges.row] & taken[edges.column]) == there)

    def chosen(own: Tensor, other: Tensor) -> Tensor:
        return torch.where(in_rows(taken, own), other, own)

    edges = within(left.edges(), False).add_unmerged(within(right.edges(left.edge_attrs)))
    mixed = left.with_edges(edges)
    edges_in, edges_out = (
        left.totals(each.weight.abs(), each.row) for each in (within(right.adj), mixed.adj)
    )
    nodes = left.totals(taken.float()) / left.sizes.clamp(min=1)
    share = torch.where(edges_out > 0, edges_in / edges_out, nodes)
    return mixed.replace(
        x=chosen(left.x.float(), right.x.float()),
        node_attrs={
            name: chosen(values, right.node_attrs[name]) for name, values in left.node_attrs.items()
        },
        **mixed_targets(left, right, 1 - share),
    )
