"""Watching over a model that trains on mixes: its batch norms go by the originals, and the first
mixed batch shows whether it uses edge weights. One that does not sees every edge of a mix in full.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from smixup.augment.norms import ByOriginals, Rows, batch_norms, called, mode_of, rows_of
from smixup.errors import UsageError, warn_user
from smixup.seeding import random_state_kept

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation

MARK = "_smixup_originals"  # how many graphs of a mixed batch, and of its copies, are originals
REMEMBERED = 256  # batches: a loader may be some ahead of the model
NOISE = 10  # times what a repeated call changes, as sums on a GPU are not the same twice


class IgnoredEdgeWeight(UserWarning):
    """A model will treat every edge of a mixed graph alike, however small its weight."""


class ModelGuard:
    """Watches over a model in a `with` block, or from `mix.guard(model)` until `remove`."""

    def __init__(self, augmentation: Augmentation, model: nn.Module) -> None:
        self.augmentation, self.model = augmentation, model
        self.asks = augmentation.averages_edges
        self.latest: Batch | None = None
        self.recent: dict[tuple[int, int], Rows] = {}  # by the numbers of nodes and edges
        self.rows: Rows = {}  # of the batch that the model is given
        self.norms: list[ByOriginals] = []
        self.handles: list[RemovableHandle] = []

    def __reduce__(self) -> tuple[type[ModelGuard], tuple[Augmentation, nn.Module]]:
        """A copy of a model, with its hooks, is not guarded."""
        from smixup.augment.base import Augmentation

        return ModelGuard, (Augmentation(), nn.Identity())

    def __enter__(self) -> Self:
        self.augmentation.guards += (self,)
        if self.augmentation.norm_from_originals:
            if not hasattr(ByOriginals.__call__, "_torchdynamo_disable"):
                # Rows are new in every batch. This loads torch's compiler, so not at import.
                ByOriginals.__call__ = torch.compiler.disable(ByOriginals.__call__)  # type: ignore[method-assign]
            self.norms = [ByOriginals(norm, self.rows) for norm in batch_norms(self.model)]
        for module in self.model.modules() if self.asks or self.norms else ():
            if module._modules or not type(module).__module__.startswith("torch."):
                self.handles.append(module.register_forward_pre_hook(self._enter, with_kwargs=True))
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Leave the model as it was."""
        guards = self.augmentation.guards
        self.augmentation.guards = tuple(guard for guard in guards if guard is not self)
        while self.handles:
            self.handles.pop().remove()
        while self.norms:
            self.norms.pop().remove()
        self.latest = None
        self.recent.clear()

    def tell(self, batch: Batch, originals: int) -> None:
        """Hear of the next batch, the first graphs of which are originals."""
        key, rows = (batch.num_nodes, batch.num_edges), rows_of(batch, originals)
        self.recent.pop(key, None)
        self.recent[key] = rows
        if len(self.recent) > REMEMBERED:
            del self.recent[next(iter(self.recent))]
        self.latest = batch if self.asks else None
        self._go_by(rows)

    def _go_by(self, rows: Rows) -> None:
        self.rows.clear()
        self.rows.update(rows)

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """See which batch a module is given, and ask the outermost one with edges once."""
        if torch.compiler.is_compiling() or not module.training:
            return
        from torch_geometric.data import Batch

        given = [*args, *kwargs.values()]
        batch = next((value for value in given if isinstance(value, Batch)), None)
        if batch is not None:
            self._go_by(rows_of(batch, getattr(batch, MARK, batch.num_graphs)))
        elif (rows := self._recognised(given)) is not None:
            self._go_by(rows)
        asked = self.latest if batch is None else batch
        if not self.asks or asked is None or not is_weighted(asked):
            return
        if batch is not None or any(_same(value, asked.edge_index) for value in given):
            self.asks, self.latest = False, None
            if _ignores_weights(module, args, kwargs, asked):
                self._warn(module)

    def _recognised(self, given: list[Any]) -> Rows | None:
        """Return the rows of the batch that tensors are from, by its numbers of nodes and edges."""
        shapes = [value.shape for value in given if isinstance(value, Tensor) and value.dim()]
        nodes = {shape[0] for shape in shapes}
        edges = {shape[1] for shape in shapes if len(shape) == 2 and shape[0] == 2}
        fitting = [rows for (n, m), rows in self.recent.items() if n in nodes and m in edges]
        return fitting[-1] if fitting else None

    def _warn(self, model: nn.Module) -> None:
        stopped = self.augmentation.on_deaf_model()
        until = "; until then, nothing is mixed" if stopped else ""
        warn_user(
            "the model takes no notice of edge weights, so it sees every edge of a mix in full, "
            f"however small its weight: {advice(model)}; or mix without weights, by "
            f'SMixup(edges="sampled"){until}.',
            IgnoredEdgeWeight,
        )


def is_weighted(batch: Batch) -> bool:
    """Tell whether any edge of a batch has another weight than one."""
    weight = getattr(batch, "edge_weight", None)
    return weight is not None and bool((weight != 1).any())


def hears_edge_weight(
    model: nn.Module, batch: Batch, forward: Callable[[Any], object] | None = None
) -> bool:
    """Tell whether a model's output depends on the edge weights of a batch, by trying.

    Example::

        hears_edge_weight(model, mix(batch))
        hears_edge_weight(model, mix(batch), lambda b: model(b.x, b.edge_index, b.edge_weight))

    The model is called in evaluation mode without gradients, and left as it was.

    Args:
        model: any module.
        batch: has an `edge_weight` that is not 1 everywhere, as a mixed batch has.
        forward: calls the model with a batch; `model(batch)` if there is none.
    """
    if not is_weighted(batch):
        raise UsageError(
            "hears_edge_weight needs a batch with an edge_weight that is not 1 everywhere: give it "
            "a mixed batch, such as mix(batch)."
        )
    weight = batch.edge_weight
    with torch.no_grad(), mode_of(model, training=False):
        first, again, ones = (
            _numbers(model, batch, each, forward)
            for each in (weight, weight, torch.ones_like(weight))
        )
    return _distance(first, ones) > NOISE * _distance(first, again)


def _numbers(
    model: nn.Module, batch: Batch, weight: Tensor, forward: Callable[[Any], object] | None
) -> list[Tensor]:
    """Return the numbers that the model and its modules return: a head that begins with zeros
    returns the same for every graph.
    """
    numbers: list[Tensor] = []

    def record(module: object, inputs: object, output: object) -> None:
        parts = output if isinstance(output, list | tuple) else [output]
        tensors = [part for part in parts if isinstance(part, Tensor)]
        numbers.extend(each.clone() for each in tensors if each.is_floating_point())

    handles = [module.register_forward_hook(record) for module in model.modules()]
    given = copy.copy(batch)
    given.edge_weight = weight
    try:
        with random_state_kept():
            record(None, None, called(model, given, forward))
    finally:
        for handle in handles:
            handle.remove()
    return numbers


def _distance(left: list[Tensor], right: list[Tensor]) -> float:
    if [each.shape for each in left] != [each.shape for each in right]:
        return float("inf")
    changed = [(a, b) for a, b in zip(left, right, strict=True) if not torch.equal(a, b)]
    return max((float((a - b).abs().nan_to_num(0.0).max()) for a, b in changed), default=0.0)


def _ignores_weights(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], batch: Batch
) -> bool:
    """Tell whether a module that is given a batch, or tensors of it, certainly ignores weights."""
    given, eager = [*args, *kwargs.values()], getattr(module, "_orig_mod", module)
    if not any(value is batch or _same(value, batch.edge_weight) for value in given):
        return not any(_may_hold_weights(value, batch) for value in given)

    def swapped(value: Any, changed: Batch) -> Any:
        same = _same(value, batch.edge_weight)
        weight = changed.edge_weight.to(value).view_as(value) if same else value
        return changed if value is batch else weight

    def call(changed: Batch) -> object:
        named = {name: swapped(value, changed) for name, value in kwargs.items()}
        return eager.forward(*(swapped(value, changed) for value in args), **named)

    try:
        return not hears_edge_weight(eager, batch, call)
    except Exception:  # a module that cannot be called twice says nothing
        return False


def _same(value: object, tensor: Tensor) -> bool:
    """Tell whether a value is a tensor of a batch; it may have gone to another device or shape."""
    if not isinstance(value, Tensor) or value.layout != tensor.layout:
        return False
    alike = value.dtype == tensor.dtype and value.numel() == tensor.numel() > 0
    return alike and torch.equal(value.detach().to(tensor.device).reshape(tensor.shape), tensor)


def _may_hold_weights(value: object, batch: Batch) -> bool:
    """Tell whether a value is new numbers for every edge, or cannot be looked into."""
    if not isinstance(value, Tensor):
        return not isinstance(value, str | bool | int | float | None)
    if not value.is_floating_point() or value.dim() == 0 or len(value) != batch.num_edges:
        return value.layout is not torch.strided
    own = [each for each in batch.to_dict().values() if isinstance(each, Tensor)]
    return not any(_same(value, each) for each in own)


def advice(model: nn.Module) -> str:
    """Return what to do about the layers of a model that does not hear edge weights."""
    from torch_geometric.nn import MessagePassing

    from smixup import nn as weighted

    todo: dict[str, list[str]] = {}
    for name, layer in model.named_modules():
        if not isinstance(layer, MessagePassing):
            continue
        kind = type(layer).__name__
        if "edge_weight" in signature(layer.forward).parameters:
            what = "pass batch.edge_weight to {}"
        elif hasattr(weighted, f"Weighted{kind}"):
            what = f"put smixup.nn.Weighted{kind} in the place of {{}}"
        else:
            what = "replace {} by a layer with an edge_weight argument"
        todo.setdefault(what, []).append(f"{name} ({kind})" if name else kind)
    return "; ".join(what.format(", ".join(names)) for what, names in todo.items())
