"""Graphs of two nodes and one edge, whose distances are known by hand."""

from __future__ import annotations

import torch

from smixup.analysis.mixes import Mixes
from smixup.analysis.parents import Parents, tagged
from smixup.graphs import Graphs, SparseOperator


def edges(*weights: float) -> Graphs:
    """Graphs of two nodes and one edge."""
    parts = [
        SparseOperator.from_edges(torch.tensor([[0, 1], [1, 0]]), torch.full((2,), w), 2)
        for w in weights
    ]
    n = len(weights)
    return Graphs(
        torch.ones(2 * n, 1), SparseOperator.stack(parts), torch.ones(n, 1), torch.arange(n + 1) * 2
    )


def mixed(weight: float, lam: float) -> Mixes:
    """A mix of an edge of weight 1 and of one of weight 0."""
    parents = Parents(torch.tensor([[lam, 1 - lam]]), torch.tensor([0]))
    return Mixes(tagged(edges(1.0, 0.0)), edges(weight), parents=parents)
