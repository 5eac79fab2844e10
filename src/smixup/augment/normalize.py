"""One batch norm, by the rows of originals: mean, variance, gradients, running statistics.

Which rows these are, and how a model comes to use it, is `augment/norms.py`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _BatchNorm

Originals = int | Tensor
"""Which rows are those of originals: the first so many, or those where a mask is true."""


def normalize_by(norm: _BatchNorm, x: Tensor, originals: Originals) -> Tensor:
    """Return `x [n, H, ...]` normalised by mean and variance of the rows of originals, scaled and
    shifted as the norm has learnt; its running statistics follow those rows.

    Gradients flow through mean and variance, as in any batch norm.

    Args:
        norm: any kind of batch norm.
        x: whose second dimension is that of channels.
        originals: how many of the first rows, or a mask `[n]`.
    """
    norm._check_input_dim(x)
    usual = x.dim() == 2 and norm.weight is not None and norm.bias is not None
    if usual and isinstance(originals, int) and x.dtype == norm.weight.dtype:
        out, mean, var = ByFirst.apply(x, norm.weight, norm.bias, originals, norm.eps)
        _follow(norm, mean, var, originals)
        return out  # type: ignore[no-any-return]
    rows = x if x.dtype in (torch.float, torch.double) else x.float()
    chosen = rows[:originals] if isinstance(originals, int) else rows[originals]
    mean, var, count = moments(chosen)
    _follow(norm, mean.detach(), var.detach(), count)
    scale = torch.rsqrt(var + norm.eps)
    if norm.weight is not None:
        scale = norm.weight * scale
    shift = -mean * scale
    if norm.bias is not None:
        shift = torch.addcmul(norm.bias, mean, scale, value=-1)
    if x.dim() > 2:
        scale, shift = (each.view(-1, *[1] * (x.dim() - 2)) for each in (scale, shift))
    return torch.addcmul(shift, rows, scale).to(x.dtype)


class ByFirst(torch.autograd.Function):
    """The same for a matrix whose first k rows are originals, in half the time: gradients by hand,
    without the tensors that autograd would make on the way.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, k: int, eps: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return `(x - mean) / std * weight + bias`, and mean and variance of the first k rows."""
        mean = x[:k].mean(0)  # two passes take a tenth of the time of `var_mean` on a CPU
        var = (x[:k] - mean).square_().mean(0)
        r = torch.rsqrt(var + eps)
        scale = r * weight
        ctx.k = k
        ctx.save_for_backward(x, weight, mean, r)
        ctx.mark_non_differentiable(mean, var)
        shift = torch.addcmul(bias, mean, scale, value=-1)
        return torch.addcmul(shift, x, scale), mean, var

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of x, weight and bias.

        All rows pass `g scale` back. Mean and variance pass back to the first k rows what all rows
        ask of them: `-(s1 + (x - mean) r^2 s2) scale / k` with `s1 = sum g` and
        `s2 = sum g (x - mean)`.
        """
        x, weight, mean, r = ctx.saved_tensors
        scale, first = weight * r, slice(0, ctx.k)
        s1 = g.sum(0)
        s2 = (g * x).sum(0) - mean * s1
        slope = -scale * r.square() * s2 / ctx.k
        dx = g * scale
        dx[first].addcmul_(x[first], slope).sub_(scale * s1 / ctx.k + slope * mean)
        return dx, s2 * r, s1, None, None


def moments(x: Tensor) -> tuple[Tensor, Tensor, int]:
    """Return mean `[H]`, variance `[H]` and number of the values of each channel of
    `x [n, H, ...]`.
    """
    var, mean = torch.var_mean(x, _all_but_channels(x), correction=0)
    return mean, var, x.numel() // x.size(1)


def _all_but_channels(x: Tensor) -> list[int]:
    return [0, *range(2, x.dim())]


@torch.no_grad()
def _follow(norm: _BatchNorm, mean: Tensor, var: Tensor, number: int) -> None:
    """Let the running statistics follow those of a batch, as `BatchNorm1d` does."""
    if not norm.track_running_stats or norm.running_mean is None or norm.running_var is None:
        return
    assert norm.num_batches_tracked is not None
    norm.num_batches_tracked += 1
    momentum = norm.momentum if norm.momentum is not None else 1 / float(norm.num_batches_tracked)
    unbiased = var * (number / max(number - 1, 1))
    norm.running_mean.lerp_(mean.to(norm.running_mean.dtype), momentum)
    norm.running_var.lerp_(unbiased.to(norm.running_var.dtype), momentum)
