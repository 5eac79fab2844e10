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
from torch.utils.hooks import RemovableHandle

from smixup.errors import SmixupError, UsageError
from smixup.seeding import random_state_kept
from smixup.warning import warn_user

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation

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
    if not _is_weighted(batch):
        raise UsageError(
            "hears_edge_weight needs a batch with an edge_weight that is not 1 everywhere: give it "
            "a mixed batch, such as mix(batch)."
        )
    call, plain = caller(model, forward), copy.copy(batch)
    plain.edge_weight = torch.ones_like(batch.edge_weight)
    return output_differs(model, lambda: call(copy.copy(batch)), lambda: call(copy.copy(plain)))


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


class WeightCheck:
    """Looks on as the first mixed batch passes through a model, and warns if it does not hear the
    weights of its edges.

    Args:
        augmentation: is told if the model does not.
        model: the outermost of its modules that is given the edges of the batch is asked.
    """

    def __init__(self, augmentation: Augmentation, model: nn.Module) -> None:
        self.augmentation = augmentation
        self.batch: Batch | None = None
        self.depth, self.originals, self.done = 0, 0, not augmentation.averages_edges
        self.handles: list[RemovableHandle] = []
        for module in () if self.done else model.modules():
            if any(True for _ in module.children()) or _is_layer(module):
                enter = module.register_forward_pre_hook(self._enter)
                leave = module.register_forward_hook(
                    self._leave, with_kwargs=True, always_call=True
                )
                self.handles += [enter, leave]

    def __reduce__(self) -> tuple[type[WeightCheck], tuple[Augmentation, nn.Module]]:
        """A copy of a model, with its hooks, is not asked."""
        return WeightCheck, (self.augmentation, nn.Identity())

    def expect(self, batch: Batch, originals: int) -> None:
        """Hear of a batch that the model will be given, the first graphs of which are originals."""
        self.depth, self.originals = 0, originals
        self.batch = batch if not self.done and _is_weighted(batch) else None

    def remove(self) -> None:
        """Look no longer."""
        for handle in self.handles:
            handle.remove()
        self.handles, self.batch, self.done = [], None, True

    def _enter(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        if not torch.compiler.is_compiling():
            self.depth += 1

    def _leave(self, module: nn.Module, args: tuple[Any, ...], *rest: Any) -> Tensor | None:
        """Ask the outermost module that was given the edges, once it is done."""
        if torch.compiler.is_compiling():
            return None
        self.depth -= 1
        batch, given = self.batch, (args, rest[0])
        if self.depth or batch is None or len(rest) < 2 or not module.training:
            return None
        if not _has_edges(given, batch):
            return None
        self.remove()
        if not _is_deaf(module, given, batch):
            return None
        stopped = self.augmentation.on_deaf_model()
        self._warn(module, stopped)
        return self._without_mixes(rest[1], int(batch.num_graphs)) if stopped else None

    def _without_mixes(self, output: object, graphs: int) -> Tensor | None:
        """Return an output that passes no gradient to mixes: one step on what a deaf model makes of
        them would stay in the averages of an optimizer for a long time.
        """
        k = self.originals
        if not isinstance(output, Tensor) or len(output) != graphs or not output.requires_grad:
            return None
        return torch.cat([output[:k], output[k:].detach()])

    def _warn(self, module: nn.Module, stopped: bool) -> None:
        until = "; until then, nothing is mixed" if stopped else ""
        warn_user(
            "the model takes no notice of edge weights, so it sees every edge of a mix in full, "
            f"however small its weight: {advice(module)}; or mix without weights, by "
            f'SMixup(edges="sampled"){until}.',
            IgnoredEdgeWeight,
        )


def _is_deaf(module: nn.Module, given: Any, batch: Batch) -> bool:
    """Tell whether a module certainly takes no notice of weights; nothing that goes wrong here may
    stop a training.
    """
    if is_compiled(module) and not CAN_RUN_EAGERLY:
        return False
    weight = batch.edge_weight
    plain = mapped(given, lambda value: torch.ones_like(value) if _same(value, weight) else value)
    if not _differs(plain, given):  # the weights are not among what the module is given
        return not any(_may_hold_weights(value, batch) for value in leaves(given))
    try:
        return not output_differs(
            module,
            lambda: module(*mapped(given[0], _itself), **mapped(given[1], _itself)),
            lambda: module(*mapped(plain[0], _itself), **mapped(plain[1], _itself)),
        )
    except Exception:  # a module that cannot be called twice says nothing
        return False


def _has_edges(given: Any, batch: Batch) -> bool:
    return any(_same(value, batch.edge_index) for value in leaves(given))


def _differs(plain: Any, given: Any) -> bool:
    pairs = zip(leaves(plain), leaves(given), strict=True)
    return any(new is not old for new, old in pairs)


def _may_hold_weights(value: object, batch: Batch) -> bool:
    """Whether a value may have been made of the weights: numbers for every edge that the batch did
    not have, or what cannot be looked into.
    """
    if not isinstance(value, Tensor):
        return not isinstance(value, str | bool | int | float | torch.device | torch.dtype | None)
    if value.layout is not torch.strided:
        return True
    if not value.is_floating_point() or value.dim() == 0 or len(value) != batch.num_edges:
        return False
    own = (tensor for tensor in batch.to_dict().values() if isinstance(tensor, Tensor))
    return not any(_same(value, tensor) for tensor in own)


def leaves(given: object) -> Iterator[object]:
    """Yield what is in lists, dictionaries and batches."""
    if isinstance(given, list | tuple):
        for value in given:
            yield from leaves(value)
    elif isinstance(given, Mapping):
        yield from leaves(list(given.values()))
    elif _is_data(given):
        yield from leaves(given.to_dict())  # type: ignore[attr-defined]
    else:
        yield given


def mapped(given: Any, change: Callable[[Any], Any]) -> Any:
    """Return the same with every leaf changed; containers are new."""
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*(mapped(value, change) for value in given))
    if isinstance(given, list | tuple):
        return type(given)(mapped(value, change) for value in given)
    if isinstance(given, Mapping):
        return {key: mapped(value, change) for key, value in given.items()}
    if not _is_data(given):
        return change(given)
    new = copy.copy(given)
    for key, value in given.to_dict().items():
        if (changed := mapped(value, change)) is not value:
            new[key] = changed
    return new


def _itself(value: Any) -> Any:
    return value


def _is_data(value: object) -> bool:
    from torch_geometric.data import Data

    return isinstance(value, Data)


def _same(value: object, tensor: Tensor | None) -> bool:
    """Whether a value is a tensor of a batch; it may have gone to another device or shape."""
    if tensor is None or not isinstance(value, Tensor) or value.layout != tensor.layout:
        return False
    if value.numel() != tensor.numel() or value.dtype != tensor.dtype or not value.numel():
        return False
    return torch.equal(value.detach().to(tensor.device).reshape(tensor.shape), tensor)


def _is_weighted(batch: Batch) -> bool:
    weight = getattr(batch, "edge_weight", None)
    return weight is not None and bool((weight != 1).any())


# The layers of a model.


def layers_without_edge_weight(model: nn.Module) -> list[str]:
    """Return the names of message-passing layers that take neither edge weights nor edge
    attributes.
    """
    return [
        _named(name, layer)
        for name, layer in message_passing(model)
        if {"edge_weight", "edge_attr"}.isdisjoint(_parameters(layer))
    ]


def message_passing(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield the message-passing layers of a model and their names."""
    return ((name, layer) for name, layer in model.named_modules() if _is_layer(layer))


def _is_layer(module: nn.Module) -> bool:
    from torch_geometric.nn import MessagePassing

    return isinstance(module, MessagePassing)


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


# How a model is called.


def caller(model: nn.Module, forward: Callable[..., object] | None) -> Callable[[Any], object]:
    """Return what calls a model with a batch: `forward(batch)` or `forward(model, batch)` as a user
    gives it, `model(batch)` if there is none.
    """
    if forward is None:
        return lambda batch: _default(model, batch)
    if len(signature(forward).parameters) > 1:
        return lambda batch: forward(model, batch)
    return forward


def _default(model: nn.Module, batch: Any) -> object:
    try:
        return model(batch)
    except (AttributeError, TypeError) as error:
        raise SmixupError(
            f"model(batch) failed ({error}): say how the model is called, for example by "
            "forward=lambda batch: model(batch.x, batch.edge_index, batch.batch)."
        ) from error


def tensors_in(output: object) -> Iterator[Tensor]:
    """Yield the tensors in what a module returns: a tuple, a dictionary, a `Data`, a dataclass."""
    if isinstance(output, Tensor):
        yield output
    elif isinstance(output, tuple | list):
        for each in output:
            yield from tensors_in(each)
    elif isinstance(output, Mapping):
        yield from tensors_in(list(output.values()))
    elif hasattr(output, "to_dict"):
        yield from tensors_in(output.to_dict())
    elif hasattr(output, "__dataclass_fields__"):
        yield from tensors_in(list(vars(output).values()))
