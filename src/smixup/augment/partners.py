"""Who is mixed with whom."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.seeding import rand


def draw_any(number: int, pool: int, generator: torch.Generator) -> Tensor:
    """Draw partners for `number` graphs from a pool, none twice before all were drawn (App. B)."""
    rounds = -(-number // pool)
    return torch.cat([torch.randperm(pool, generator=generator) for _ in range(rounds)])[:number]


def draw_alike(labels: Tensor, pool: Tensor, generator: torch.Generator) -> Tensor:
    """Draw for each graph a partner of its own class (Table 4, "w/o different classes").

    Args:
        labels: classes of the graphs, `[B]`; each must occur in the pool.
        pool: classes of the graphs to draw from, `[G]`.
        generator: the source of randomness.
    """
    order = pool.argsort(stable=True)
    first = torch.searchsorted(pool[order], labels)
    count = torch.searchsorted(pool[order], labels, right=True) - first
    u = rand(labels.numel(), generator=generator, like=labels, dtype=torch.double)
    return order[first + (u * count).long()]
