"""Are mixes new graphs?"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from smixup.analysis.colour_refinement import LARGE, stable_colours
from smixup.graphs import Graphs, Operator, SparseOperator

DIGITS = 4
"""Features and weights that agree in so many digits after the point are equal."""


def duplicates(mixes: Graphs, originals: Graphs) -> Tensor:
    """Return which mixes equal an original up to the numbering of nodes, `[B]` bool.

    Equal are graphs that 1-WL cannot tell apart: no message-passing network can, either.
    """
    both = Graphs.cat([_rounded(originals), _rounded(mixes)])
    signature = _signatures(both)
    return torch.isin(signature[len(originals) :], signature[: len(originals)])


def _rounded(graphs: Graphs) -> Graphs:
    """Return graphs without attributes, in which rounding errors make no difference."""

    def rounded(edges: Operator) -> SparseOperator:
        adj = edges.to_sparse().merged()
        adj = replace(adj, weight=adj.weight.round(decimals=DIGITS))
        return adj.mask_entries(adj.weight != 0)

    plain = graphs.without_attributes().floating()
    x = plain.x.round(decimals=DIGITS) + 0.0  # a negative zero becomes a zero
    return plain.map_edges(rounded).replace(x=x)


def _signatures(graphs: Graphs) -> Tensor:
    """Return a number per graph that depends on the colours of its nodes, `[G]`: a sum of random
    hashes, as in `stable_colours`.
    """
    colour = stable_colours(graphs)
    number = int(colour.max()) + 1 if colour.numel() else 0
    random = torch.Generator().manual_seed(0)
    hashes = torch.randint(LARGE, (number,), generator=random).to(colour.device)
    return graphs.totals(hashes[colour])
