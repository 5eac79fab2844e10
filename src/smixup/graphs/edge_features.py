"""Attributes of edges as rows, one for every edge: what a layer or a PyG batch is given.

`Graphs.edge_attrs` holds weight times attribute, so that attributes are mixed as the adjacency is.
An edge of a mix then has the average over the edges that it comes from, by their shares of its
weight: entry divided by weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.graphs.sparse import SparseOperator

if TYPE_CHECKING:
    from smixup.graphs.graphs import Graphs

EDGE_ATTR = "edge_attr"
"""The attribute that backbones take for features of edges, by PyG's name."""
SHARE = "share of an edge's attributes"


def featured_edges(graphs: Graphs, name: str = EDGE_ATTR) -> tuple[SparseOperator, Tensor]:
    """Return the adjacency with one entry for every edge, and the attributes of these `[m, k]`.

    An attribute's share in an average is the size of the weight, and one where the weight is zero;
    where weights are not all positive, shares stand beside them as an attribute, `SHARE`. An edge
    whose share is zero has attributes of zero.
    """
    columns = graphs.edge_attrs[name]
    shares = graphs.edge_attrs.get(SHARE, ())
    joint = together((graphs.adj, *shares, *columns)).merged()
    weight, values = joint.weight[:, 0], joint.weight[:, 1 + len(shares) :]
    share = joint.weight[:, 1] if shares else weight
    values = values / torch.where(share == 0, 1.0, share).unsqueeze(1)
    return replace(joint, weight=weight), values


def together(operators: Sequence[SparseOperator]) -> SparseOperator:
    """Return several maps as one with the columns of all.

    Entries are those of the first map: what others have elsewhere belongs to no edge.
    """
    found, adj = list(operators), operators[0]
    if not all(map(adj.has_entries_of, found)):
        adj = adj.merged()
        found = [adj, *(replace(adj, weight=each.values_at(adj)) for each in found[1:])]
    rows = [each.weight.reshape(len(each.weight), each.width) for each in found]
    return replace(adj, weight=torch.cat(rows, 1))
