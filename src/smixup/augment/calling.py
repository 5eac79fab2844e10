"""How a model of a user's own is called with a batch, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import Any

from torch import Tensor, nn

from smixup.errors import SmixupError

Call = Callable[[Any], object]


def caller(model: nn.Module, forward: Callable[..., object] | None) -> Call:
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
