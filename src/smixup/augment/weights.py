"""Does a model see edge weights at all? On mixed graphs, one that does not sees every edge in full.

The sure way is to ask the model: run it on a mix with its weights, and with ones in their place.
If nothing changes, it does not hear them. `mix.training(model)` does so once, on the first mixed
batch.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from smixup.errors import SmixupError, UsageError, warn_user
from smixup.seeding import random_state_kept

if TYPE_CHECKING:
    from torch_geometric.data import Batch

NOISE = 10
"""Sums on a GPU are not the same twice. A change counts if it is so many times as large as that of
repeating the call.
"""
NAMED = 4
"""Layers that a warning names."""
CAN_RUN_EAGERLY = hasattr(torch.compiler, "set_stance")
"""Whether this torch can run what is compiled as it is written."""


class IgnoredEdgeWeight(UserWarning):
    """A model will treat every edge of a mixed graph alike, however small its weight."""


def hears_edge_weight(
    model: nn.Module, batch: Batch, forward: Callable[..., object] | None = None
) -> bool:
    """Tell whether a model's output depends on the edge weights of a batch, by trying.

    Example::

        hears_edge_weight(model, mix(batch))
        hears_edge_weight(model, mix(batch), lambda b: model(b.x, b.edge_index, b.edge_weight))

    The model is called in evaluation mode without gradients; its modes and torch's random state are
    left as they were.

    Args:
        model: any module.
        batch: has an `edge_weight` that is not 1 everywhere, as a mixed batch has.
        forward: calls the model: `forward(batch)` or `forward(model, batch)`; `model(batch)` if
            there is none.
    """
    if not is_weighted(batch):
        raise UsageError(
            "hears_edge_weight needs a batch with an edge_weight that is not 1 everywhere: give it "
            "a mixed batch, such as mix(batch)."
        )
    call = caller(model, forward)
    return output_differs(model, call, batch, _with_ones(batch, batch.edge_weight))


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
    more = {what: f" and {len(names) - NAMED} more" for what, names in todo.items()}
    return (
        "; ".join(
            what.format(", ".join(names[:NAMED]) + more[what] * (len(names) > NAMED))
            for what, names in todo.items()
        )
        or "pass batch.edge_weight to its layers"
    )


def _layers(model: nn.Module) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield the message-passing layers of a model: how to name one, its class, what it takes."""
    from torch_geometric.nn import MessagePassing

    for name, layer in model.named_modules():
        if isinstance(layer, MessagePassing):
            kind = type(layer).__name__
            yield f"{name} ({kind})" if name else kind, kind, signature(layer.forward).parameters


# A module that is called with a batch or its tensors.


def is_weighted(batch: Batch) -> bool:
    """Tell whether any edge of a batch has another weight than one."""
    weight = getattr(batch, "edge_weight", None)
    return weight is not None and bool((weight != 1).any())


def has_edges_of(batch: Batch, given: object) -> bool:
    """Tell whether the edges of a batch are in what a module is given."""
    return any(_same(value, batch.edge_index) for value in leaves(given))


def ignores_weights(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], batch: Batch
) -> bool:
    """Tell whether a module that is given the edges of a batch certainly takes no notice of their
    weights; nothing that goes wrong here may stop a training.
    """
    if _is_compiled(module) and not CAN_RUN_EAGERLY:
        return False
    given, weight = (args, kwargs), batch.edge_weight
    if not any(_same(value, weight) for value in leaves(given)):
        return not any(_may_hold_weights(value, batch) for value in leaves(given))

    def call(given: tuple[tuple[Any, ...], dict[str, Any]]) -> object:
        return module(*given[0], **given[1])

    try:
        return not output_differs(module, call, given, _with_ones(given, weight))
    except Exception:  # a module that cannot be called twice says nothing
        return False


def _may_hold_weights(value: object, batch: Batch) -> bool:
    """Tell whether a value may have been made of the weights: numbers for every edge that the batch
    did not have, or what cannot be looked into.
    """
    if not isinstance(value, Tensor):
        return not isinstance(value, str | bool | int | float | torch.device | torch.dtype | None)
    if value.layout is not torch.strided:
        return True
    if not value.is_floating_point() or value.dim() == 0 or len(value) != batch.num_edges:
        return False
    return not any(_same(value, own) for own in leaves(batch) if isinstance(own, Tensor))


def leaves(given: object) -> Iterator[object]:
    """Yield what is in lists, dictionaries, batches and dataclasses."""
    if isinstance(given, list | tuple):
        for value in given:
            yield from leaves(value)
    elif isinstance(given, Mapping):
        yield from leaves(list(given.values()))
    elif hasattr(given, "to_dict"):
        yield from leaves(given.to_dict())
    elif hasattr(given, "__dataclass_fields__"):
        yield from leaves(list(vars(given).values()))
    else:
        yield given


def _with_ones(given: Any, weight: Tensor) -> Any:
    """Return copies of containers, with ones in the place of the weights."""
    return _mapped(given, lambda value: torch.ones_like(value) if _same(value, weight) else value)


def _mapped(given: Any, change: Callable[[Any], Any]) -> Any:
    from torch_geometric.data import Data

    if isinstance(given, list | tuple):
        values = [_mapped(value, change) for value in given]
        return type(given)(*values) if hasattr(given, "_fields") else type(given)(values)
    if isinstance(given, Mapping):
        return {key: _mapped(value, change) for key, value in given.items()}
    if not isinstance(given, Data):
        return change(given)
    new = copy.copy(given)
    for key, value in given.to_dict().items():
        if (changed := _mapped(value, change)) is not value:
            new[key] = changed
    return new


def _same(value: object, tensor: Tensor | None) -> bool:
    """Tell whether a value is a tensor of a batch; it may have gone to another device or shape."""
    if tensor is None or not isinstance(value, Tensor) or value.layout != tensor.layout:
        return False
    if value.numel() != tensor.numel() or value.dtype != tensor.dtype or not value.numel():
        return False
    return torch.equal(value.detach().to(tensor.device).reshape(tensor.shape), tensor)


# Two calls compared.


def output_differs(model: nn.Module, call: Callable[[Any], object], one: Any, other: Any) -> bool:
    """Tell whether two calls of a model have different outcomes.

    A head that begins with zeros returns the same for every graph; then what the modules within
    return is compared.
    """
    with _as_in_evaluation(model):
        first, again, second = (_recorded(model, call, given) for given in (one, one, other))
    inner = all(len(out) < 2 or bool((out == out[:1]).all()) for out in first[0] if out.dim())
    return _distance(first[inner], second[inner]) > NOISE * _distance(first[inner], again[inner])


@contextmanager
def _as_in_evaluation(model: nn.Module) -> Iterator[None]:
    """Let a model be called without leaving a trace; what is compiled runs as it is written."""
    modes = {module: module.training for module in model.modules()}
    with torch.no_grad(), warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")
        if _is_compiled(model) and CAN_RUN_EAGERLY:
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        try:
            for module in modes:
                module.training = False
            yield
        finally:
            for module, training in modes.items():
                module.training = training


def _is_compiled(model: nn.Module) -> bool:
    return any(
        getattr(module, "_compiled_call_impl", None) is not None or hasattr(module, "_orig_mod")
        for module in model.modules()
    )


def _recorded(
    model: nn.Module, call: Callable[[Any], object], given: Any
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the numbers that a call returns, and those that the modules within return; every call
    draws the same random numbers.
    """
    inner: list[Tensor] = []

    def record(module: nn.Module, inputs: object, output: object) -> None:
        inner.extend(_numbers(output))

    handles = [module.register_forward_hook(record) for module in model.modules()]
    try:
        with random_state_kept():
            return _numbers(call(_mapped(given, lambda value: value))), inner
    finally:
        for handle in handles:
            handle.remove()


def _numbers(output: object) -> list[Tensor]:
    tensors = (value for value in leaves(output) if isinstance(value, Tensor))
    return [tensor for tensor in tensors if tensor.is_floating_point()]


def _distance(left: list[Tensor], right: list[Tensor]) -> float:
    """Return the largest difference; infinity between what cannot be compared."""
    if [tensor.shape for tensor in left] != [tensor.shape for tensor in right]:
        return float("inf")
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if not torch.equal(a, b)]
    apart = ((a.double() - b.double()).abs().nan_to_num(0.0).max() for a, b in pairs)
    return max(map(float, apart), default=0.0)


def caller(model: nn.Module, forward: Callable[..., object] | None) -> Callable[[Any], object]:
    """Return what calls a model with a batch: `forward(batch)` or `forward(model, batch)` as a user
    gives it, `model(batch)` if there is none.
    """
    if forward is not None and len(signature(forward).parameters) > 1:
        return lambda batch: forward(model, batch)
    if forward is not None:
        return forward

    def call(batch: Any) -> object:
        try:
            return model(batch)
        except (AttributeError, TypeError) as error:
            raise SmixupError(
                f"model(batch) failed ({error}): say how the model is called, for example by "
                "forward=lambda batch: model(batch.x, batch.edge_index, batch.batch)."
            ) from error

    return call
