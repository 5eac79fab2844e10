"""Watching over a model that trains on mixes: its batch norms go by the originals, and the first
mixed batch shows whether it uses edge weights. One that does not sees every edge of a mix in full.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from smixup.augment.norms import ByOriginals, Rows, batch_norms, caller, mode_of
from smixup.errors import UsageError, warn_user
from smixup.seeding import random_state_kept

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation

MARK = "_smixup_originals"  # how many graphs of a mixed batch, and of its copies, are originals
REMEMBERED = 256  # batches, by their size: a loader may be some ahead of the model
NOISE = 10  # times what a repeated call changes, as sums on a GPU are not the same twice


class IgnoredEdgeWeight(UserWarning):
    """A model will treat every edge of a mixed graph alike, however small its weight."""


class Seen(NamedTuple):
    """What is known of a batch: its rows, its graphs, and how many of these are originals."""

    rows: Rows
    graphs: int
    originals: int


def _seen(batch: Batch, originals: int) -> Seen:
    rows: Rows = {}
    if batch.num_graphs > originals:
        nodes = int(batch.ptr[originals])
        if batch.edge_index is not None:
            rows[batch.num_edges] = int((batch.edge_index[1] < nodes).sum())
        rows |= {batch.num_graphs: originals, batch.num_nodes: nodes}
    return Seen(rows, batch.num_graphs, originals)


class ModelGuard:
    """Watches over a model in a `with` block, or from `mix.guard(model)` until `remove`."""

    def __init__(self, augmentation: Augmentation, model: nn.Module) -> None:
        self.augmentation, self.model = augmentation, model
        self.asks = augmentation.averages_edges
        self.latest: Batch | None = None
        self.deaf: nn.Module | None = None
        self.seen = Seen({}, 0, 0)
        self.recent: dict[tuple[int, int], Seen] = {}
        self.rows: Rows = {}
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
                enter = module.register_forward_pre_hook(self._enter, with_kwargs=True)
                self.handles += [enter, module.register_forward_hook(self._leave)]
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Leave the model as it was."""
        guards = self.augmentation.guards
        self.augmentation.guards = tuple(guard for guard in guards if guard is not self)
        self.latest = None
        while self.handles:
            self.handles.pop().remove()
        while self.norms:
            self.norms.pop().remove()
        self.recent.clear()

    def tell(self, batch: Batch, originals: int) -> None:
        """Hear of the next batch, the first graphs of which are originals."""
        key, seen = (batch.num_nodes, batch.num_edges), _seen(batch, originals)
        self.recent.pop(key, None)
        self.recent[key] = seen
        if len(self.recent) > REMEMBERED:
            del self.recent[next(iter(self.recent))]
        self.latest = batch if self.asks else None
        self._go_by(seen)

    def _go_by(self, seen: Seen) -> None:
        self.seen = seen
        self.rows.clear()
        self.rows.update(seen.rows)

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """See which batch a module is given, and ask the outermost one with edges once."""
        if torch.compiler.is_compiling() or not module.training:
            return
        from torch_geometric.data import Batch

        given = [*args, *kwargs.values()]
        batch = next((value for value in given if isinstance(value, Batch)), None)
        if batch is not None:
            known = self.recent.get((batch.num_nodes, batch.num_edges))
            originals = batch.num_graphs if known is None else known.originals
            self._go_by(_seen(batch, getattr(batch, MARK, originals)))
        else:
            shapes = [value.shape for value in given if isinstance(value, Tensor) and value.dim()]
            nodes = {shape[0] for shape in shapes}
            edges = {shape[1] for shape in shapes if len(shape) == 2 and shape[0] == 2}
            fitting = [seen for (n, m), seen in self.recent.items() if n in nodes and m in edges]
            if fitting and fitting[-1] is not self.seen:
                self._go_by(fitting[-1])
        asked = self.latest if batch is None else batch
        if not self.asks or asked is None or not is_weighted(asked):
            return
        if batch is not None or any(_same(value, asked.edge_index) for value in given):
            self.asks, self.latest = False, None
            if _ignores_weights(module, args, kwargs, asked):
                self._warn(module)

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: object) -> Tensor | None:
        """Learn which rows a pooling layer left; let no gradient through mixes of a deaf model."""
        if module is self.deaf:
            (_, graphs, k), self.deaf = self.seen, None
            if isinstance(output, Tensor) and len(output) == graphs:
                return torch.cat([output[:k], output[k:].detach()])
        if self.rows and isinstance(output, tuple) and not torch.compiler.is_compiling():
            tensors = [value for value in output if isinstance(value, Tensor)]
            self.rows.update(pooled_rows(tensors, self.seen) | self.seen.rows)
        return None

    def _warn(self, module: nn.Module) -> None:
        stopped = self.augmentation.on_deaf_model()
        self.deaf = module if stopped else None
        until = "; until then, nothing is mixed" if stopped else ""
        warn_user(
            "the model takes no notice of edge weights, so it sees every edge of a mix in full, "
            f"however small its weight: {advice(module)}; or mix without weights, by "
            f'SMixup(edges="sampled"){until}.',
            IgnoredEdgeWeight,
        )


def pooled_rows(tensors: list[Tensor], seen: Seen) -> Rows:
    """Return the rows that a pooling layer has left, by the vector `batch` that it returns, which
    names every graph, one per row of features.
    """
    lengths = {len(each) for each in tensors if each.is_floating_point() and each.dim() > 1}
    for vector in tensors:
        if vector.dtype != torch.int64 or vector.dim() != 1 or len(vector) not in lengths:
            continue
        if torch.equal(vector.unique(), torch.arange(seen.graphs).to(vector)):
            mask = vector < seen.originals
            number = int(mask.sum())
            return {len(vector): number if bool(mask[:number].all()) else mask}
    return {}


def is_weighted(batch: Batch) -> bool:
    """Tell whether any edge of a batch has another weight than one."""
    weight = getattr(batch, "edge_weight", None)
    return weight is not None and bool((weight != 1).any())


def hears_edge_weight(
    model: nn.Module, batch: Batch, forward: Callable[..., object] | None = None
) -> bool:
    """Tell whether a model's output depends on the edge weights of a batch, by trying.

    Example::

        hears_edge_weight(model, mix(batch))
        hears_edge_weight(model, mix(batch), lambda b: model(b.x, b.edge_index, b.edge_weight))

    The model is called in evaluation mode without gradients, and left as it was.

    Args:
        model: any module.
        batch: has an `edge_weight` that is not 1 everywhere, as a mixed batch has.
        forward: `forward(batch)` or `forward(model, batch)` instead of `model(batch)`.
    """
    if not is_weighted(batch):
        raise UsageError(
            "hears_edge_weight needs a batch with an edge_weight that is not 1 everywhere: give it "
            "a mixed batch, such as mix(batch)."
        )
    call, weight = caller(model, forward), batch.edge_weight

    def recorded(weight: Tensor) -> list[Tensor]:
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
                record(None, None, call(given))
        finally:
            for handle in handles:
                handle.remove()
        return numbers

    with torch.no_grad(), mode_of(model, training=False):
        first, again, ones = (recorded(each) for each in (weight, weight, torch.ones_like(weight)))
    return _distance(first, ones) > NOISE * _distance(first, again)


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

    def call(changed: Batch) -> object:
        def swapped(value: Any) -> Any:
            same = _same(value, batch.edge_weight)
            return changed.edge_weight.to(value).view_as(value) if same else value

        values = [changed if value is batch else swapped(value) for value in given]
        named = dict(zip(kwargs, values[len(args) :], strict=True))
        return eager.forward(*values[: len(args)], **named)

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


def warn_if_ignored(model: nn.Module) -> None:
    """Warn about a model that would ignore `edge_weight`, by the arguments of its layers.

    This needs no data, but says nothing of layers that take attributes of edges without counting
    edges by them, nor of those that are called without the weights. Probing is the sure way:
    `hears_edge_weight(model, mix(batch))`.
    """
    layers = [
        name for name, _, takes in _layers(model) if {"edge_weight", "edge_attr"}.isdisjoint(takes)
    ]
    if layers:
        warn_user(
            f"{', '.join(layers)} cannot take edge weights, so the model would see a mixed graph "
            "as a complete one: use layers with an edge_weight argument (GCNConv, GraphConv, "
            "smixup.nn.WeightedGINConv, ...).",
            IgnoredEdgeWeight,
        )


def advice(model: nn.Module) -> str:
    """Return what to do about the layers of a model that does not hear edge weights."""
    from smixup import nn as weighted

    todo: dict[str, list[str]] = {}
    for name, kind, takes in _layers(model):
        if "edge_weight" in takes:
            what = "pass batch.edge_weight to {}"
        elif hasattr(weighted, f"Weighted{kind}"):
            what = f"put smixup.nn.Weighted{kind} in the place of {{}}"
        else:
            what = "replace {} by a layer with an edge_weight argument"
        todo.setdefault(what, []).append(name)
    return "; ".join(what.format(", ".join(names)) for what, names in todo.items())


def _layers(model: nn.Module) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield the message-passing layers of a model: how to name one, its class, what it takes."""
    from torch_geometric.nn import MessagePassing

    for name, layer in model.named_modules():
        if isinstance(layer, MessagePassing):
            kind = type(layer).__name__
            yield f"{name} ({kind})" if name else kind, kind, signature(layer.forward).parameters
