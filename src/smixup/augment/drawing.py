"""Mixes without fractions: nodes from one of two graphs, edges that are there or not.

Where features are categories, or where a model takes no edge weights, a mix is drawn instead of
averaged. What is drawn has the average as its expectation.
"""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.augment.light_edges import whole_edges
from smixup.graphs import Graphs
from smixup.graphs.edge_dropping import numbered_edges
from smixup.seeding import rand

SAME = 1e-5
"""Two directions of an edge whose weights differ by less are one edge, but for rounding."""


def draw_nodes(left: Graphs, right: Graphs, lam: Tensor, generator: torch.Generator) -> Tensor:
    """Return features of mixes `[n, d]`: each node has those of G1 with probability lambda, else
    those of G2', all of them.

    A row of zeros in G2' is a node to which nothing was carried; there, G1's are taken.

    Args:
        left: G1, B graphs.
        right: G2', on the nodes of G1.
        lam: `[B]`, the ratio of each pair.
        generator: the source of randomness.
    """
    own = rand(left.num_nodes, generator=generator, like=lam) < lam[left.batch]
    nothing = (right.x == 0).all(1)
    return torch.where((own | nothing).unsqueeze(1), left.x.float(), right.x.float())


def sample_edges(graphs: Graphs, generator: torch.Generator) -> Graphs:
    """Return the graphs with every edge kept, as a whole one, with its weight as probability.

    The edges that are kept weigh one, or minus one where their weight was negative; weights above
    one count as one. Both directions of an edge are drawn together. Attributes of edges stay.
    """
    adj = graphs.adj.to_sparse().merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    low, high = (
        weight.new_zeros(number).scatter_reduce_(0, edge, weight, which, include_self=False)[edge]
        for which in ("amin", "amax")
    )
    probability = torch.where(high - low < SAME, high, weight)
    u = rand(number, generator=generator, like=weight)[edge]
    return whole_edges(graphs.with_adj(adj.mask_entries(u < probability)))
