"""Numbers that stand for content: sums of scrambled integers, whatever their order."""

from __future__ import annotations

import torch
from torch import Tensor

# Odd numbers without pattern. Products of 64-bit integers that overflow wrap around in torch.
FIRST, SECOND = 0x3F58476D1CE4E5B9, 0x14D049BB133111EB


def bits(values: Tensor) -> Tensor:
    """Return numbers as the integers that they are in memory; zero has one sign."""
    return (values.float() + 0.0).contiguous().view(torch.int32).long()


def scrambled(numbers: Tensor) -> Tensor:
    """Return other numbers, each from one, such that no sum of them says much of their sources."""
    numbers = (numbers ^ (numbers >> 29)) * FIRST
    numbers = (numbers ^ (numbers >> 32)) * SECOND
    return numbers ^ (numbers >> 30)
