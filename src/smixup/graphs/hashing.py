"""Numbers that stand for content: sums of scrambled integers, whatever their order."""

from __future__ import annotations

import torch
from torch import Tensor

# Odd numbers without pattern. Sums and products of 64-bit integers that overflow wrap around in
# torch.
SHIFT, FIRST, SECOND = 0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB


def bits(values: Tensor) -> Tensor:
    """Return numbers as the integers that they are in memory; zero has one sign."""
    return (values.float() + 0.0).contiguous().view(torch.int32).long()


def scrambled(numbers: Tensor) -> Tensor:
    """Return other numbers, each from one, such that no sum of them says much of their sources."""
    numbers = numbers + SHIFT  # or twice a number would often become twice as much
    numbers = _folded(numbers, 29) * FIRST
    numbers = _folded(numbers, 32) * SECOND
    return _folded(numbers, 30)


def _folded(numbers: Tensor, by: int) -> Tensor:
    """Return numbers with their upper bits also in their lower ones; no two become the same."""
    # torch copies the sign into the bits that a shift makes free: x and -x - 1 would become one.
    return numbers ^ ((numbers >> by) & ((1 << (64 - by)) - 1))
