"""Index arithmetic on ragged arrays: many short rows concatenated, with `ptr` telling where each
begins.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def offsets(counts: Tensor) -> Tensor:
    """Return `ptr [k + 1]` of rows with the given lengths `[k]`: `[2, 0, 3] -> [0, 2, 2, 5]`.

    Of a mask, `ptr[i]` says how many of the elements before i are chosen.
    """
    ptr = counts.new_zeros(counts.numel() + 1, dtype=torch.long)
    torch.cumsum(counts, 0, out=ptr[1:])
    return ptr


def row_of(ptr: Tensor) -> Tensor:
    """Return the row of every element: `[0, 2, 2, 5] -> [0, 0, 2, 2, 2]`."""
    rows = torch.arange(ptr.numel() - 1, device=ptr.device)
    return rows.repeat_interleave(ptr.diff())


def ranges(starts: Tensor, counts: Tensor) -> Tensor:
    """Concatenate `starts[i], ..., starts[i] + counts[i] - 1`:
    `[5, 0], [2, 3] -> [5, 6, 0, 1, 2]`.
    """
    ptr = offsets(counts)
    shift = (starts - ptr[:-1]).repeat_interleave(counts)
    return shift.add_(torch.arange(shift.numel(), device=starts.device))


def ranks(ptr: Tensor, score: Tensor) -> Tensor:
    """Return each element's place in its row by ascending score, `[n]`; equal scores keep their
    order.

    `[0, 3, 5], [7, 2, 5, 1, 0] -> [2, 0, 1, 1, 0]`.
    """
    row = row_of(ptr)
    order = score.argsort(stable=True)
    order = order[row[order].argsort(stable=True)]
    place = torch.arange(row.numel(), device=ptr.device) - ptr[row]
    return torch.empty_like(order).scatter_(0, order, place)


def row_means(h: Tensor, ptr: Tensor) -> Tensor:
    """Return the mean of each row's elements `h [n, d]`, `[k, d]`; an empty row has zeros."""
    means: Tensor = _Means.apply(h, ptr)
    return means


class _Means(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, ptr: Tensor) -> Tensor:
        ctx.ptr = ptr
        every = torch.arange(len(h), device=h.device)
        return F.embedding_bag(every, h, ptr, mode="mean", include_last_offset=True)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        sizes = ctx.ptr.diff()
        share = gradients[0] / sizes.clamp(min=1).unsqueeze(1)
        return share.repeat_interleave(sizes, dim=0), None
