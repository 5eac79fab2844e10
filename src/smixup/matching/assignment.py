"""From similarities to an assignment: softmax of Eq. (8), Sinkhorn, sharpness, sparsity."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from smixup.graphs import BlockOperator, SparseOperator

Normalization = Callable[[Tensor, Tensor], Tensor]

SINKHORN_ROUNDS = 10
NEVER = -1e9
NEGLIGIBLE = 1e-10


def column_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Spread every node of G2 over the nodes of G1: columns of `[b, N1, N2]` sum to one (Eq. 8, the
    paper's choice).
    """
    return _cleared(torch.softmax(scores.masked_fill(~mask, NEVER), dim=1), mask)


def row_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Make every node of G1 an average of nodes of G2: rows sum to one.

    Note:
        Keeps the scale of features and `A'` within [0, 1], but not the mass of G2.
    """
    return _cleared(torch.softmax(scores.masked_fill(~mask, NEVER), dim=2), mask)


def sinkhorn(scores: Tensor, mask: Tensor, rounds: int = SINKHORN_ROUNDS) -> Tensor:
    """Normalise rows and columns in turn, ending with columns: doubly stochastic in the limit where
    N1 = N2.

    With N1 != N2 the limit has columns that sum to one and rows that sum to N2 / N1.
    """
    log = scores.masked_fill(~mask, NEVER)
    for _ in range(rounds):
        for dim in (
            2,
            1,
        ):  # an empty row has no sum to divide by: it would become one of equal entries
            log = (log - log.logsumexp(dim, keepdim=True)).masked_fill_(~mask, NEVER)
    return _cleared(log.exp(), mask)


def column_shares(X: Tensor, mask: Tensor) -> Tensor:
    """Divide the columns of a solver's result `X >= 0` by their sums; a node of G2 left without
    match is spread evenly.

    Args:
        X: how strongly nodes belong together, `[b, N1, N2]`.
        mask: which cells exist.
    """
    X = torch.where(mask, X, 0.0)
    sums = X.sum(1, keepdim=True)
    even = mask / mask.sum(1, keepdim=True).clamp(min=1)
    return _cleared(
        torch.where(sums > 0, X / sums.clamp(min=torch.finfo(X.dtype).tiny), even), mask
    )


def _cleared(M: Tensor, mask: Tensor) -> Tensor:
    """Zero what lies outside a pair, and what is so small that its products would be denormal
    numbers, hence slow.
    """
    return torch.where(mask & (M > NEGLIGIBLE), M, 0.0)


NORMALIZATIONS: dict[str, Normalization] = {
    "columns": column_softmax,
    "rows": row_softmax,
    "sinkhorn": sinkhorn,
}


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
