"""Batch norm that mixes cannot spoil: statistics of the originals, applied to all graphs. Which
rows are originals' is known by how many there are, as originals stand first in a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from smixup.errors import SmixupError, UsageError, warn_user
from smixup.graphs import Graphs
from smixup.seeding import random_state_kept

if TYPE_CHECKING:
    from torch_geometric.data import Batch

Rows = dict[int, int]
"""How many rows are originals', by the number of all rows; empty where there are no mixes."""


def rows_of(batch: Graphs | Batch, originals: int) -> Rows:
    """Return the rows of a batch whose first graphs are originals."""
    graphs, nodes = len(batch.ptr) - 1, int(batch.ptr[originals])
    if graphs == originals:
        return {}
    edges = getattr(batch, "edge_index", None)
    of_edges = {} if edges is None else {edges.size(1): int((edges[1] < nodes).sum())}
    return of_edges | {graphs: originals, batch.num_nodes: nodes}


def batch_norms(model: nn.Module) -> Iterator[_BatchNorm]:
    """Yield the batch norms of a model, of any kind."""
    return (module for module in model.modules() if isinstance(module, _BatchNorm))


@contextmanager
def norms_by(model: nn.Module, rows: Rows) -> Iterator[None]:
    """Let the batch norms of a model go by the rows of originals."""
    replaced = [ByOriginals(norm, rows) for norm in batch_norms(model)] if rows else []
    try:
        yield
    finally:
        for each in replaced:
            each.remove()


class ByOriginals:
    """What stands in the place of a norm's `forward`; a copy of the norm has the ordinary one."""

    def __init__(self, norm: _BatchNorm, rows: Rows) -> None:
        if isinstance(norm, nn.SyncBatchNorm):
            raise UsageError(
                "which rows of a SyncBatchNorm are mixes is not known across processes: use "
                "BatchNorm, or train without mix.training(model)."
            )
        self.norm, self.rows, self.warned = norm, rows, False
        self.usual: Callable[[Tensor], Tensor] = norm.forward
        norm.forward = self  # type: ignore[method-assign, assignment]

    def __call__(self, x: Tensor) -> Tensor:
        if not (self.rows and self.norm.training):
            return self.usual(x)
        originals = self.rows.get(len(x), 0)
        if len(x) not in self.rows and not self.warned:
            self.warned = True
            warn_user(
                f"a batch norm of {self.norm.num_features} columns sees {len(x)} rows, neither "
                "nodes nor graphs nor edges of the batch: it is normalised over mixes, too."
            )
        if originals * math.prod(x.shape[2:]) < 2:
            return self.usual(x)
        return normalize_by(self.norm, x, originals)

    def remove(self) -> None:
        """Give the norm back what it did before."""
        self.rows = {}
        if self.usual == MethodType(type(self.norm).forward, self.norm):
            vars(self.norm).pop("forward", None)
        else:
            self.norm.forward = self.usual  # type: ignore[method-assign, assignment]

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[Any]]:
        return _itself, (self.usual,)


def _itself(forward: Any) -> Any:
    return forward


def normalize_by(norm: _BatchNorm, x: Tensor, k: int) -> Tensor:
    """Return `x [n, H, ...]` normalised by mean and variance of the first k rows, scaled and
    shifted as the norm has learnt; its running statistics follow those rows. Gradients flow through
    mean and variance, as in any batch norm.
    """
    norm._check_input_dim(x)
    affine = norm.weight is not None and norm.bias is not None
    if affine and x.dim() == 2 and x.dtype == norm.weight.dtype:
        out, mean, var = ByFirst.apply(x, norm.weight, norm.bias, k, norm.eps)
        _follow(norm, mean, var, k)
        return out  # type: ignore[no-any-return]
    rows = x if x.dtype in (torch.float, torch.double) else x.float()
    var, mean = torch.var_mean(rows[:k], [0, *range(2, x.dim())], correction=0)
    _follow(norm, mean.detach(), var.detach(), k * math.prod(x.shape[2:]))
    scale = torch.rsqrt(var + norm.eps)
    scale = scale if norm.weight is None else norm.weight * scale
    shift = -mean * scale if norm.bias is None else norm.bias - mean * scale
    shape = (-1, *[1] * (x.dim() - 2))
    return torch.addcmul(shift.view(shape), rows, scale.view(shape)).to(x.dtype)


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
        """Return the gradients of x, weight and bias: `g scale` for all rows; for the first k, what
        mean and variance pass back, `-(s1 + (x - mean) r^2 s2) scale / k` with `s1 = sum g` and
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


def refresh_batch_norm(
    model: nn.Module,
    loader: Iterable[Any],
    forward: Callable[[Any], object] | None = None,
) -> None:
    """Take the statistics of all batch norms of a model again, from original graphs.

    For a model that was trained on mixes without `mix.training(model)`.

    Example::

        refresh_batch_norm(model, train_loader)
        refresh_batch_norm(model, train_loader, lambda b: model(b.x, b.edge_index, b.batch))

    Mean and variance become the averages of those of the batches. Weights, modes and torch's random
    state are left as they were.

    Args:
        model: any module; without batch norm nothing happens.
        loader: batches of original graphs, such as a `DataLoader` of the training split.
        forward: calls the model with a batch; `model(batch)` if there is none.
    """
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    with torch.no_grad(), random_state_kept(), statistics_anew(model):
        for batch in loader if any(batch_norms(model)) else ():
            called(model, batch.to(device), forward)


@contextmanager
def statistics_anew(model: nn.Module) -> Iterator[None]:
    """Let the batch norms of a model average what they see in the block; all of the model is in
    training mode there.
    """
    momenta = {norm: norm.momentum for norm in batch_norms(model)}
    for norm in momenta:
        norm.reset_running_stats()
        norm.momentum = None
        getattr(norm.forward, "rows", {}).clear()  # of a mixed batch before
    try:
        with mode_of(model, training=True):
            yield
    finally:
        for norm, momentum in momenta.items():
            norm.momentum = momentum


@contextmanager
def mode_of(model: nn.Module, training: bool) -> Iterator[None]:
    """Put a whole model into one mode in the block, then every module back into its own."""
    modes = {module: module.training for module in model.modules()}
    model.train(training)
    try:
        yield
    finally:
        for module, mode in modes.items():
            module.training = mode


def called(model: nn.Module, batch: Any, forward: Callable[[Any], object] | None) -> object:
    """Return what a model makes of a batch, by `forward` as a user gives it, or `model(batch)`."""
    if forward is not None:
        return forward(batch)
    try:
        return model(batch)
    except (AttributeError, TypeError) as error:
        raise SmixupError(
            f"model(batch) failed ({error}): say how the model is called, for example by "
            "forward=lambda batch: model(batch.x, batch.edge_index, batch.batch)."
        ) from error
