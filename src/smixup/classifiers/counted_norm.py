"""Batch norm of rows of which each stands for several nodes: the statistics are those of all
nodes.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.modules import module as torch_module

from smixup.classifiers.node_norm import NodeNorm


def counted_norm(norm: nn.Module, x: Tensor, count: Tensor) -> Tensor:
    """Apply a batch norm, or the identity, to rows `x [D, H]` that stand for `count [D]` nodes
    each; running statistics follow as if the norm had seen all nodes.
    """
    if not norm.training or not isinstance(norm, nn.BatchNorm1d):
        return norm(x)  # type: ignore[no-any-return]
    number = count.sum()
    if len(x) < 2 and number < 2:
        return norm(x)  # type: ignore[no-any-return]
    out, mean, var = CountedNorm.apply(x, count / number, norm.weight, norm.bias, norm.eps)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    assert norm.num_batches_tracked is not None
    with torch.no_grad():
        norm.num_batches_tracked += 1
        momentum = norm.momentum
        momentum = 1 / float(norm.num_batches_tracked) if momentum is None else momentum
        norm.running_mean.lerp_(mean, momentum)
        norm.running_var.lerp_(var * (number / (number - 1)), momentum)
    return out  # type: ignore[no-any-return]


class CountedNorm(torch.autograd.Function):
    """`(x - mean) / std * weight + bias` for rows `x [D, H]`, where `share [D]` says which part of
    all nodes a row stands for.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, share: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return it, and mean and variance."""
        mean = share @ x
        centred = x - mean
        var = share @ centred.square()
        r = torch.rsqrt(var + eps)
        ctx.save_for_backward(centred, share, weight, r)
        ctx.mark_non_differentiable(mean, var)
        return torch.addcmul(bias, centred, r * weight), mean, var

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of x, weight and bias.

        A row passes `g scale` back, and its share of what all rows ask of mean and variance:
        `-(s1 + (x - mean) r^2 s2) scale` with `s1 = sum g` and `s2 = sum g (x - mean)`.
        """
        centred, share, weight, r = ctx.saved_tensors
        s1, s2 = g.sum(0), (g * centred).sum(0)
        asked = torch.addcmul(s1, centred, r.square() * s2).mul_(share.unsqueeze(1))
        return (g - asked).mul_(weight * r), None, s2 * r, s1, None


def can_count(modules: nn.Module) -> bool:
    """Return whether the norms in a module may see rows that stand for several nodes.

    They may not where somebody looks at what single modules see, has put something in the place of
    a module's `forward`, or where a norm is not the ordinary one.
    """
    if torch_module._global_forward_hooks or torch_module._global_forward_pre_hooks:
        return False
    return all(map(_is_ordinary, modules.modules()))


def _is_ordinary(module: nn.Module) -> bool:
    watched = module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
    if watched or "forward" in vars(module):
        return False
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        usual = type(module) in (nn.BatchNorm1d, NodeNorm) and module.affine
        return usual and module.running_mean is not None
    return True
