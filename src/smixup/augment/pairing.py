"""Who is mixed with whom."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from smixup.graphs import Graphs, PackedGraphs
from smixup.seeding import rand

Pairing = Literal["any", "same-class"]
"""With any graph, none twice before all were drawn (App. B); or with one of the same class, so that
labels are never mixed (Table 4, "w/o different classes").
"""


def draw_partners(
    pairing: Pairing,
    left: Graphs | PackedGraphs,
    pool: Graphs | PackedGraphs,
    generator: torch.Generator,
) -> Tensor:
    """Return a graph of `pool` for every graph of `left`, by its place there, `[B]`."""
    if pairing == "same-class":
        return draw_alike(left.labels.cpu(), pool.labels.cpu(), generator)
    return draw_any(len(left), len(pool), generator)


def draw_any(number: int, pool: int, generator: torch.Generator) -> Tensor:
    """Draw partners for `number` graphs from a pool, none twice before all were drawn (App. B)."""
    rounds = -(-number // pool)
    return torch.cat([torch.randperm(pool, generator=generator) for _ in range(rounds)])[:number]


def draw_alike(labels: Tensor, pool: Tensor, generator: torch.Generator) -> Tensor:
    """Draw for each graph, whose class is in `labels [B]`, one of the same class in `pool [G]`."""
    order = pool.argsort(stable=True)
    first = torch.searchsorted(pool[order], labels)
    count = torch.searchsorted(pool[order], labels, right=True) - first
    u = rand(labels.numel(), generator=generator, like=labels, dtype=torch.double)
    return order[first + (u * count).long()]
