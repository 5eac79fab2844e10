"""Does a model see edge weights at all? On mixed graphs, one that does not sees a complete
graph.

The sure way is to ask the model: run it on a mix with its weights, and with ones in their place. If
nothing changes, it does not hear them. An augmentation does so by itself as its first mixes pass
through a model (`augment/first_pass.py`).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from inspect import signature
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from smixup.augment.calling import caller, tensors_in
from smixup.errors import UsageError
from smixup.seeding import random_state_kept
from smixup.warning import warn_user

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
    weight = getattr(batch, "edge_weight", None)
    if weight is None or bool((weight == 1).all()):
        raise UsageError(
            "hears_edge_weight needs a batch with an edge_weight that is not 1 everywhere: give it "
            "a mixed batch, such as mix(batch)."
        )
    call, plain = caller(model, forward), copy.copy(batch)
    plain.edge_weight = torch.ones_like(weight)
    return output_differs(model, lambda: call(copy.copy(batch)), lambda: call(copy.copy(plain)))


def layers_without_edge_weight(model: nn.Module) -> list[str]:
    """Return the names of message-passing layers that take neither edge weights nor edge
    attributes.
    """
    return [
        _named(name, layer)
        for name, layer in message_passing(model)
        if {"edge_weight", "edge_attr"}.isdisjoint(_parameters(layer))
    ]


def warn_if_ignored(model: nn.Module) -> None:
    """Warn about a model that would ignore `edge_weight`, by the arguments of its layers.

    This needs no data, but says nothing of layers that take attributes of edges without counting
    edges by them, nor of those that are called without the weights. Probing is the sure way:
    `hears_edge_weight(model, mix(batch))`.
    """
    if layers := layers_without_edge_weight(model):
        warn_user(
            f"{', '.join(layers)} cannot take edge weights, so the model would see a mixed graph "
            "as a complete one: use layers with an edge_weight argument (GCNConv, GraphConv, "
            "smixup.nn.WeightedGINConv, ...).",
            IgnoredEdgeWeight,
        )


def message_passing(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield the message-passing layers of a model and their names."""
    from torch_geometric.nn import MessagePassing

    for name, layer in model.named_modules():
        if isinstance(layer, MessagePassing):
            yield name, layer


def advice(model: nn.Module) -> str:
    """Return what to do about the layers of a model that does not hear edge weights."""
    from smixup import nn as weighted

    todo: dict[str, list[str]] = {}
    for name, layer in message_passing(model):
        kind = f"Weighted{type(layer).__name__}"
        if "edge_weight" in _parameters(layer):
            todo.setdefault("pass batch.edge_weight to {}", []).append(_named(name, layer))
        elif kind in weighted.__all__:
            put = f"put smixup.nn.{kind} in the place of {{}}"
            todo.setdefault(put, []).append(_named(name, layer))
        else:
            put = "replace {} by a layer with an edge_weight argument"
            todo.setdefault(put, []).append(_named(name, layer))
    parts = [line.format(some(names)) for line, names in todo.items()]
    return "; ".join(parts) or "pass batch.edge_weight to its layers"


def some(names: list[str]) -> str:
    """Return the first few names, and how many there are besides."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _named(name: str, layer: nn.Module) -> str:
    kind = type(layer).__name__
    return f"{name} ({kind})" if name else kind


def _parameters(layer: nn.Module) -> Mapping[str, object]:
    return signature(layer.forward).parameters


# Two calls compared.


def output_differs(
    model: nn.Module, usual: Callable[[], object], other: Callable[[], object]
) -> bool:
    """Tell whether two calls of a model have different outcomes.

    A head that begins with zeros returns the same for every graph; then what the modules within
    return is compared.
    """
    with _as_in_evaluation(model):
        first, again, second = (_recorded(model, call) for call in (usual, usual, other))
    inner = all(_constant(each) for each in first[0])
    before, repeated, after = (each[inner] for each in (first, again, second))
    return _distance(before, after) > NOISE * _distance(before, repeated)


@contextmanager
def _as_in_evaluation(model: nn.Module) -> Iterator[None]:
    """Let a model be called without leaving a trace; what is compiled runs as it is written."""
    modes = {module: module.training for module in model.modules()}
    device = next((each.device.type for each in model.parameters()), "cpu")
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(torch.autocast(device, enabled=False))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        if is_compiled(model) and CAN_RUN_EAGERLY:
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        try:
            for module in modes:
                module.training = False
            yield
        finally:
            for module, training in modes.items():
                module.training = training


def is_compiled(model: nn.Module) -> bool:
    """Tell whether a model, or a part of it, is compiled."""
    return any(
        getattr(each, "_compiled_call_impl", None) is not None or hasattr(each, "_orig_mod")
        for each in model.modules()
    )


def _recorded(model: nn.Module, call: Callable[[], object]) -> tuple[list[Tensor], list[Tensor]]:
    """Return the tensors that a call returns, and those that the modules within return; every call
    draws the same random numbers.
    """
    inner: list[Tensor] = []

    def record(module: nn.Module, inputs: object, output: object) -> None:
        inner.extend(_numbers(output))

    handles = [module.register_forward_hook(record) for module in model.modules()]
    try:
        with random_state_kept():
            return list(_numbers(call())), inner
    finally:
        for handle in handles:
            handle.remove()


def _numbers(output: object) -> Iterator[Tensor]:
    """Yield the tensors of numbers in what a module returns."""
    return (each for each in tensors_in(output) if each.is_floating_point())


def _constant(output: Tensor) -> bool:
    return output.dim() == 0 or len(output) < 2 or bool((output == output[:1]).all())


def _distance(left: list[Tensor], right: list[Tensor]) -> float:
    """Return the largest difference; infinity between what cannot be compared."""
    if [each.shape for each in left] != [each.shape for each in right]:
        return float("inf")
    pairs = zip(left, right, strict=True)
    return max((_difference(one, two) for one, two in pairs), default=0.0)


def _difference(left: Tensor, right: Tensor) -> float:
    if torch.equal(left, right) or not left.numel():
        return 0.0
    return float((left.double() - right.double()).abs().nan_to_num(0.0).max())
