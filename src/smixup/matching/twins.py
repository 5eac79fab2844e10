"""Nodes that the network cannot tell apart, computed once.

The leaves of a hub have the same features and the same neighbour, and so the same representation in
every layer. In discussion threads more than half of all nodes have such a twin. They are found by
colour refinement (`graphs/refinement.py`): after as many rounds as the network has layers, nodes of
one colour have seen the same. One of each colour goes through the network, and attention counts it
as often as it stands there. What comes out is the same to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.hashing import bits, scrambled
from smixup.graphs.ragged import offsets
from smixup.graphs.refinement import refined

LARGE = 128
"""Nodes of a graph up to which its twins are not looked for."""
COUNT = "number of twins"
"""Name of the attribute that tells how many nodes each one stands for."""
FINENESS = 2.0**16
"""Inputs that differ by less than its inverse are alike: encodings of twins differ by rounding."""


@dataclass(frozen=True)
class Merged:
    """Graphs with one node of each colour.

    Attributes:
        graphs: their features and edges; an edge weighs what all edges to that colour do.
        of_node: `[n]`, the place of each node's colour among the nodes of `graphs`.
    """

    graphs: Graphs
    of_node: Tensor

    @classmethod
    def unchanged(cls, graphs: Graphs) -> Merged:
        """Return graphs as they are, every node for itself."""
        graphs = graphs.replace(node_attrs={COUNT: graphs.x.new_ones(graphs.num_nodes)})
        return cls(graphs, torch.arange(graphs.num_nodes, device=graphs.device))


def merge_twins(graphs: Graphs, rounds: int) -> Merged | None:
    """Return graphs with one node for all that a network of so many layers cannot tell apart; None
    if all graphs are small.

    Args:
        graphs: what the network sees, with its input as features.
        rounds: layers of the network.
    """
    if not (graphs.sizes > LARGE).any():
        return None
    first, of_node = _classes(_colours(graphs, rounds))
    counts = torch.bincount(of_node).to(graphs.x.dtype)
    ptr = offsets(torch.bincount(graphs.batch[first], minlength=len(graphs)))
    adj = _between_classes(graphs.adj.to_sparse(), first, of_node)
    merged = graphs.without_attributes().replace(x=graphs.x[first], adj=adj, ptr=ptr)
    return Merged(merged.replace(node_attrs={COUNT: counts}), of_node)


def _colours(graphs: Graphs, rounds: int) -> Tensor:
    """Return a number for each node that nodes share only if they have seen the same, `[n]`.

    Nodes of different graphs, and all nodes of small graphs, have different colours.
    """
    every = torch.arange(graphs.num_nodes, device=graphs.device)
    small = (graphs.sizes <= LARGE)[graphs.batch]
    colour = scrambled(graphs.batch) + scrambled(torch.where(small, every + 1, 0))
    for column in bits((graphs.x * FINENESS).round()).unbind(1):  # no integer is as large as some
        colour = scrambled(colour + scrambled(column))
    return refined(colour, graphs.adj.to_sparse(), rounds)


def _classes(colour: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first node of each colour, in order, and the place of each node's colour there."""
    values, place = torch.unique(colour, return_inverse=True)
    every = torch.arange(colour.numel(), device=colour.device)
    first = every.new_full((values.numel(),), colour.numel())
    first.scatter_reduce_(0, place, every, "amin")
    order = first.argsort()
    return first[order], order.argsort()[place]


def _between_classes(A: SparseOperator, first: Tensor, of_node: Tensor) -> SparseOperator:
    """Return the edges of the first nodes, to colours instead of nodes."""
    is_first = torch.zeros_like(of_node, dtype=torch.bool)
    is_first[first] = True
    kept = A.mask_entries(is_first[A.row])
    shape = (first.numel(), first.numel())
    return SparseOperator.from_entries(of_node[kept.row], of_node[kept.column], kept.weight, shape)
