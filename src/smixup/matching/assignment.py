"""An assignment by itself: how sharp it is, and how it is made sparse."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from smixup.graphs import BlockOperator, SparseOperator

NEVER = -1e9
"""The score of what cannot be."""


def perplexity(M: Tensor) -> Tensor:
    """Return over how many nodes of G1 each node of G2 is spread, `exp(entropy)` of columns
    `[b, N1, N2] -> [b, N2]`.

    Columns are normalised first, so that a row-normalised M can be asked too; an empty column has
    perplexity one.
    """
    p = M / M.sum(1, keepdim=True).clamp(min=torch.finfo(M.dtype).tiny)
    entropy: Tensor = torch.special.entr(p).sum(1)
    return entropy.exp()


def mean_perplexity(M: Sequence[Tensor], masks: Sequence[Tensor]) -> float:
    """Average `perplexity` over all nodes of G2, given which columns exist `[b, N2]`."""
    values = torch.cat([perplexity(block)[mask] for block, mask in zip(M, masks, strict=True)])
    return float(values.mean())


def top_k(M: BlockOperator, k: int) -> SparseOperator:
    """Keep the k largest entries of every column and scale them to the column's sum, as explicit
    entries.
    """
    return BlockOperator(
        tuple(_top_k(block, k) for block in M.blocks), M.rows, M.columns
    ).to_sparse()


def _top_k(M: Tensor, k: int) -> Tensor:
    values, places = M.topk(min(k, M.size(1)), dim=1)
    total, kept = M.sum(1, keepdim=True), values.sum(1, keepdim=True)
    scale = torch.where(kept > 0, total / kept, 0.0)
    return torch.zeros_like(M).scatter_(1, places, values * scale)
