"""Who is mixed with whom."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.seeding import rand


def draw_any(number: int, pool: int, generator: torch.Generator) -> Tensor:
    """Draw partners for `number` graphs from a pool, none twice before all were drawn (App. B)."""
    rounds = -(-number // pool)
    return torch.cat([torch.randperm(pool, generator=generator) for _ in range(rounds)])[:number]


def draw_evenly(number: int, kinds: Tensor, generator: torch.Generator) -> Tensor:
    """Draw graphs so that every kind is equally likely, however many graphs are of it.

    Args:
        number: how many to draw.
        kinds: of the graphs to draw from, `[G]`.
        generator: the source of randomness.
    """
    _, kind, counts = kinds.unique(return_inverse=True, return_counts=True)
    order, first = kind.argsort(stable=True), counts.cumsum(0) - counts
    u, v = rand(2, number, generator=generator, like=kinds, dtype=torch.double)
    chosen = (u * counts.numel()).long()
    drawn: Tensor = order[first[chosen] + (v * counts[chosen]).long()]
    return drawn


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
