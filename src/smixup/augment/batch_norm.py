"""Batch norm that mixes cannot spoil: statistics of the originals, applied to all graphs.

A mix has other means and variances than the graphs that are tested. Where both are in a batch, a
batch norm that sees all of them normalises the originals by numbers that hold for neither: on
PROTEINS, with a quarter of mixes by columns in the batch, their activations shrank to a seventh
behind one norm of a GIN, and at test they have their full size again. So mean and variance are
taken from the originals, and mixes are scaled like them; in training as at test.

Example::

    norms = OriginalNorms(model)
    with norms.of_first(len(batch), mixed):     # `mixed` holds the graphs of `batch`, then mixes
        logits = model(mixed)

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

from smixup.augment.normalize import Originals, normalize_by
from smixup.augment.not_compiled import not_compiled
from smixup.graphs import Graphs

Forward = Callable[[Tensor], Tensor]
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
            norm.forward = ByOriginals(self, name, norm)  # type: ignore[method-assign, assignment]
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
        # Without mixes norms do what they always do; ranks of a group must do the same, though.
        synced = any(isinstance(norm, nn.SyncBatchNorm) for norm in self.norms.values())
        return self.install() if self.rows or synced else self

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
        not_compiled(ByOriginals, "__call__")
        self.norms, self.name, self.norm = norms, name, norm
        self.own = "forward" in vars(norm)
        self.usual: Forward = norm.forward

    def __call__(self, x: Tensor) -> Tensor:
        norm, norms = self.norm, self.norms
        if not norm.training:
            return self.usual(x)
        originals = norms.originals_among(self.name, len(x))
        if originals is None and isinstance(self.usual, ByOriginals):
            return self.usual(x)
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
