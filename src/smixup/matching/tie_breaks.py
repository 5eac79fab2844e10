"""Numbers that decide between nodes that look alike."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

SMALL = 256
"""Nodes of graphs whose numbers are kept."""


def tie_breaks(n1: int, n2: int, seed: int) -> Tensor:
    """Return numbers `[n1, n2]` that look drawn from a normal distribution."""
    if max(n1, n2) > SMALL:
        return _table(n1, n2, seed)
    return _kept_table(SMALL, SMALL, seed)[:n1, :n2]


def tie_break(i: Tensor, j: Tensor, seed: int) -> Tensor:
    """Return such a number for each cell `(i, j)` of a pair.

    It depends on the cell's place in the pair and on the seed alone, not on the pairs that happen
    to be matched beside it: M of a pair is always the same.
    """
    z = i * 0x9E3779B1 + j * 0x85EBCA77 + (seed + 1) * 0xC2B2AE3D
    for factor in (0x2545F4914F6CDD1D, 0x5851F42D4C957F2D):
        z = (z ^ (z >> 31)) * factor  # overflow is what mixes the bits
    uniform = (((z >> 20) & 0xFFFFFF).double() + 0.5) / 2**24
    normal: Tensor = torch.special.ndtri(uniform)
    return normal.float()


def _table(n1: int, n2: int, seed: int) -> Tensor:
    return tie_break(torch.arange(n1).unsqueeze(1), torch.arange(n2).unsqueeze(0), seed)


_kept_table = lru_cache(maxsize=4)(_table)
