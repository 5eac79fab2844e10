"""Batch norm that mixes cannot spoil: statistics of the originals, applied to all graphs.

A mix has other means and variances than the graphs that are tested. Where both are in a batch, a
batch norm that sees all of them normalises the originals by numbers that hold for neither: on
PROTEINS, with a quarter of mixes by columns in the batch, their activations shrank to a seventh
behind one norm of a GIN, and at test they have their full size again. So mean and variance are
taken from the originals, and mixes are scaled like them; in training as at test.

```python
norms = OriginalNorms(model)
with norms.of_first(len(batch), mixed):     # `mixed` holds the graphs of `batch`, then mixes
    logits = model(mixed)
```

For the batches of a PyG loop there is `augment/norm_guard.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from smixup.graphs import Graphs

Forward = Callable[[Tensor], Tensor]
Originals = int | Tensor
"""Which rows are those of originals: the first so many, or those where a mask is true."""
Rows = dict[str, tuple[int, Originals]]
"""How many rows there are of a kind, such as `nodes`, and which of them are originals'."""


class OriginalNorms:
    """Makes every batch norm of a model take its statistics from those rows of its input that
    belong to originals.

    Which these are is known by the number of rows. In evaluation, for a batch without mixes, and
    where an original gives a single value per channel, a norm does what it always does.

    Args:
        model: any module; norms are found wherever they are in it.
        active: whether to do anything.

    Attributes:
        rows: what is known of the batch, the latest knowledge last; empty if it holds no mixes.
    """

    def __init__(self, model: nn.Module, active: bool = True) -> None:
        modules = model.named_modules() if active else ()
        self.norms = {name: each for name, each in modules if isinstance(each, _BatchNorm)}
        self.rows: Rows = {}
        self.installed = False
        self.kinds: dict[str, set[str]] = {name: set() for name in self.norms}
        self.warned: set[str] = set()

    def of_first(self, number: int, batch: Graphs) -> Self:
        """Return itself, to be entered while the model sees a batch whose first `number` graphs are
        originals.
        """
        self.rows = rows_of_originals(batch, number) if len(batch) > number else {}
        return self

    def install(self) -> Self:
        """Take the norms over, until `remove`."""
        self.installed = True
        for name, norm in self.norms.items():
            norm.forward = ByOriginals(self, name, norm)  # type: ignore[method-assign]
        return self

    def remove(self) -> None:
        """Give the norms back what they did before."""
        if not self.installed:
            return
        self.installed, self.rows = False, {}
        for norm in self.norms.values():
            _take_out(norm, self)

    def forget(self) -> None:
        """Take what comes next for originals alone."""
        self.rows = {}

    def __enter__(self) -> Self:
        return self.install()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def originals_among(self, name: str, rows: int) -> Originals | None:
        """Return which of the rows before a norm are originals'; None if nobody knows.

        Where two kinds happen to have as many rows, a norm takes the one that it has always had
        when there was no doubt, else the one that was learnt last.
        """
        fitting = {kind: which for kind, (total, which) in self.rows.items() if total == rows}
        if not fitting:
            return None
        seen = self.kinds[name]
        if len(fitting) == 1:
            seen.update(fitting)
        elif len(seen) == 1 and seen <= fitting.keys():
            return fitting[next(iter(seen))]
        return list(fitting.values())[-1]

    def warn(self, name: str, rows: int) -> None:
        """Say once of a norm that it sees rows of unknown origin."""
        from smixup.warning import warn_user

        if name not in self.warned:
            self.warned.add(name)
            warn_user(
                f"batch norm '{name}' sees {rows} rows, which are neither the nodes nor the graphs "
                "nor the edges of the batch, so that originals and mixes cannot be told apart "
                "there: it is normalised over both."
            )


class ByOriginals:
    """What stands in the place of a norm's `forward`.

    A copy of the norm, by `deepcopy` or pickle, has the ordinary forward again. A compiled model
    calls this as it is: which rows are originals' is new in every batch, and compiled code would be
    compiled again for each.
    """

    def __init__(self, norms: OriginalNorms, name: str, norm: _BatchNorm) -> None:
        self.norms, self.name, self.norm = norms, name, norm
        self.own = "forward" in vars(norm)
        self.usual: Forward = norm.forward

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def __call__(self, x: Tensor) -> Tensor:
        norm, norms = self.norm, self.norms
        if not norm.training:
            return self.usual(x)
        originals = norms.originals_among(self.name, len(x))
        if originals is None and isinstance(self.usual, ByOriginals):
            return self.usual(x)  # type: ignore[no-any-return]
        if originals is None and norms.rows:
            norms.warn(self.name, len(x))
        group = sync_group(norm)
        if group is not None:  # all ranks must do the same, whatever each of them knows
            return normalize_by(norm, x, len(x) if originals is None else originals, group)
        if originals is None or _number(originals) * math.prod(x.shape[2:]) < 2:
            return self.usual(x)
        return normalize_by(norm, x, originals)

    def __reduce__(self) -> tuple[Callable[[Forward], Forward], tuple[Forward]]:
        return _itself, (self.usual,)


def _itself(forward: Forward) -> Forward:
    return forward


def _take_out(norm: _BatchNorm, norms: OriginalNorms) -> None:
    """Undo what `install` did to a norm, wherever it stands among those of other guards."""
    outer, each = None, vars(norm).get("forward")
    while isinstance(each, ByOriginals) and each.norms is not norms:
        outer, each = each, each.usual
    if not isinstance(each, ByOriginals):
        return
    if outer is not None:
        outer.usual, outer.own = each.usual, each.own
        return
    del norm.forward  # the class's own comes back, unless there was another
    if each.own:
        norm.forward = each.usual  # type: ignore[method-assign, assignment]


def is_guarded(norm: nn.Module) -> bool:
    """Tell whether a norm takes its statistics from originals at present."""
    return isinstance(vars(norm).get("forward"), ByOriginals)


def rows_of_originals(batch: Graphs, number: int) -> Rows:
    """Return how many nodes and graphs a batch has, and how many belong to its first `number`
    graphs.
    """
    return {
        "graphs": (len(batch), number),
        "nodes": (batch.num_nodes, int(batch.ptr[number])),
    }


def normalize_by(norm: _BatchNorm, x: Tensor, originals: Originals, group: Any = None) -> Tensor:
    """Return `x [n, H, ...]` normalised by mean and variance of the rows of originals, scaled and
    shifted as the norm has learnt; its running statistics follow those rows.

    Gradients flow through mean and variance, as in any batch norm.

    Args:
        norm: any kind of batch norm.
        x: whose second dimension is that of channels.
        originals: how many of the first rows, or a mask `[n]`.
        group: processes whose originals count as well.
    """
    norm._check_input_dim(x)
    usual = x.dim() == 2 and norm.weight is not None and norm.bias is not None
    if usual and group is None and isinstance(originals, int) and x.dtype == norm.weight.dtype:
        out, mean, var = ByFirst.apply(x, norm.weight, norm.bias, originals, norm.eps)
        _follow(norm, mean, var, originals)
        return out  # type: ignore[no-any-return]
    rows = x if x.dtype in (torch.float, torch.double) else x.float()
    chosen = rows[:originals] if isinstance(originals, int) else rows[originals]
    mean, var, count = moments(chosen) if group is None else moments_of_all(chosen, group)
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


def moments_of_all(x: Tensor, group: Any) -> tuple[Tensor, Tensor, int]:
    """Return the same over the rows of all processes of a group; gradients flow to all of them.

    The mean goes round first, then the squares of the distances from it: a difference of large
    squares would lose what it measures.
    """
    from torch.distributed.nn.functional import all_reduce

    dims = _all_but_channels(x)
    number = x.new_tensor([x.numel() // x.size(1)])
    *sums, count = all_reduce(torch.cat([x.sum(dims), number]), group=group).split([x.size(1), 1])
    mean = sums[0] / count
    centred = x - mean.view(-1, *[1] * (x.dim() - 2))
    var = all_reduce(centred.square().sum(dims), group=group) / count
    return mean, var, int(count)


def _all_but_channels(x: Tensor) -> list[int]:
    return [0, *range(2, x.dim())]


def sync_group(norm: _BatchNorm) -> Any:
    """Return the processes over which a `SyncBatchNorm` takes its statistics; None if there are no
    others.
    """
    distributed = torch.distributed
    if not isinstance(norm, nn.SyncBatchNorm) or not distributed.is_available():
        return None
    if not distributed.is_initialized():
        return None
    group = norm.process_group or distributed.group.WORLD
    return group if distributed.get_world_size(group) > 1 else None


def _number(originals: Originals) -> int:
    return originals if isinstance(originals, int) else int(originals.sum())


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
