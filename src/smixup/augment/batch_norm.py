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
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from smixup.graphs import Graphs

Forward = Callable[[Tensor], Tensor]


class OriginalNorms:
    """Makes every batch norm of a model take its statistics from the first rows of its input.

    In evaluation, and for a batch without mixes, a norm does what it always does.

    Args:
        model: any module; norms are found wherever they are in it.
        active: whether to do anything.

    Attributes:
        originals: of an input with so many rows, so many belong to originals.
    """

    def __init__(self, model: nn.Module, active: bool = True) -> None:
        modules = model.named_modules() if active else ()
        self.norms = {name: each for name, each in modules if isinstance(each, _BatchNorm)}
        self.originals: Mapping[int, int] = {}
        self.before: dict[str, Forward] = {}
        self.warned: set[str] = set()

    def of_first(self, number: int, batch: Graphs) -> Self:
        """Return itself, to be entered while the model sees a batch whose first `number` graphs are
        originals.
        """
        self.originals = rows_of_originals(batch, number) if len(batch) > number else {}
        return self

    def __enter__(self) -> Self:
        for name, norm in self.norms.items():
            if "forward" in vars(norm):
                self.before[name] = norm.forward
            norm.forward = partial(self._forward, name, norm, norm.forward)  # type: ignore[method-assign]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name, norm in self.norms.items():
            del norm.forward  # the class's own comes back, unless there was another
            if name in self.before:
                norm.forward = self.before.pop(name)  # type: ignore[method-assign, assignment]
        self.originals = {}

    def _forward(self, name: str, norm: _BatchNorm, usual: Forward, x: Tensor) -> Tensor:
        if not norm.training or not self.originals:
            return usual(x)
        if len(x) not in self.originals:
            self._warn(name, len(x))
            return usual(x)
        return normalize_by_first(norm, x, self.originals[len(x)])

    def _warn(self, name: str, rows: int) -> None:
        if name not in self.warned:
            self.warned.add(name)
            warnings.warn(
                f"batch norm '{name}' sees {rows} rows, which are neither the nodes nor the graphs "
                "nor the edges of the batch, so that originals and mixes cannot be told apart "
                "there: it is normalised over both.",
                stacklevel=2,
            )


def rows_of_originals(batch: Graphs, number: int) -> dict[int, int]:
    """Return how many of a batch's nodes and graphs belong to its first `number` graphs, by how
    many there are in all.
    """
    return {len(batch): number, batch.num_nodes: int(batch.ptr[number])}


def normalize_by_first(norm: _BatchNorm, x: Tensor, number: int) -> Tensor:
    """Return `x [n, H]` normalised by mean and variance of its first rows, scaled and shifted as
    the norm has learnt; its running statistics follow those rows.

    Gradients flow through mean and variance, as in any batch norm.
    """
    rows = x if x.dtype in (torch.float, torch.double) else x.float()
    var, mean = torch.var_mean(rows[:number], 0, correction=0)
    _follow(norm, mean.detach(), var.detach(), number)
    scale = torch.rsqrt(var + norm.eps)
    if norm.affine:
        scale = norm.weight * scale
    shift = -mean * scale if not norm.affine else torch.addcmul(norm.bias, mean, scale, value=-1)
    return torch.addcmul(shift, rows, scale).to(x.dtype)


@torch.no_grad()
def _follow(norm: _BatchNorm, mean: Tensor, var: Tensor, number: int) -> None:
    """Let the running statistics follow those of a batch, as `BatchNorm1d` does."""
    if not norm.track_running_stats or norm.running_mean is None or norm.running_var is None:
        return
    assert norm.num_batches_tracked is not None
    norm.num_batches_tracked += 1
    momentum = norm.momentum if norm.momentum is not None else 1 / float(norm.num_batches_tracked)
    norm.running_mean.lerp_(mean, momentum)
    norm.running_var.lerp_(var * (number / max(number - 1, 1)), momentum)
