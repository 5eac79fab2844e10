"""Colour refinement (Weisfeiler and Leman 1968): numbers that stand for a node's surroundings.

In every round a node's number becomes one made of its own, of its neighbours' and of the weights of
the edges to them. After r rounds, nodes have the same number if they look alike r steps far, and
hardly else.
"""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.graphs.hashing import bits, scrambled
from smixup.graphs.sparse import SparseOperator


def refined(colour: Tensor, adj: SparseOperator, rounds: int) -> Tensor:
    """Return the numbers of nodes `[n]` after so many rounds, as 64-bit integers.

    Example::

        alike = refined(torch.zeros(n, dtype=torch.long), adj, rounds=3)

    Args:
        colour: numbers to begin with `[n]`, 64-bit integers.
        adj: the edges `[n, n]`.
        rounds: how far a node sees.
    """
    weight = scrambled(bits(adj.weight))
    for _ in range(rounds):
        seen = scrambled(colour[adj.column] + weight)
        # Sums that overflow are sums all the same: the order of neighbours does not matter.
        colour = scrambled(colour + torch.zeros_like(colour).index_add_(0, adj.row, seen))
    return colour
