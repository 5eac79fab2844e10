"""Scores of pairs of several sizes, padded into one block."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from smixup.matching.pairs import PairBlock

Bare = Callable[[Tensor], PairBlock]
SIZES = [(3, 3), (2, 5), (4, 4), (1, 3), (3, 5)]


def padded_scores(sizes: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(1)
    n1, n2 = (max(size[side] for size in sizes) for side in (0, 1))
    mask = torch.zeros(len(sizes), n1, n2, dtype=torch.bool)
    for b, (rows, columns) in enumerate(sizes):
        mask[b, :rows, :columns] = True
    return torch.randn(len(sizes), n1, n2, generator=random), mask
