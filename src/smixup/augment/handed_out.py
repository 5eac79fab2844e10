"""A batch as an augmentation handed it out, to be found again in what a model is given."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from torch_geometric.data import Batch

PLAIN = (str, bytes, bool, int, float, torch.device, torch.dtype, type(None))
"""Values that hold no weights."""


class HandedOut:
    """The tensors of a batch, as they were when nobody had changed it.

    A tensor is known by its numbers: it may have gone to another device. Neither the batch nor its
    tensors are kept from being deleted.
    """

    def __init__(self, batch: Batch) -> None:
        self.num_nodes, self.num_edges = int(batch.num_nodes), int(batch.num_edges)
        self.num_graphs = int(batch.num_graphs)
        weight = batch.edge_weight
        self.weight: Tensor | None = None if weight is None else weight.detach()
        self.edges: Tensor = batch.edge_index.detach()
        found = [each for each in batch.to_dict().values() if isinstance(each, Tensor)]
        self.tensors = [each.detach() for each in found]

    def has_edges(self, given: object) -> bool:
        """Tell whether the edges of the batch are among what is given."""
        return any(_same(each, self.edges) for each in tensors(given))

    def has_rows(self, given: object) -> bool:
        """Tell whether features of its nodes or graphs are among what is given."""
        counts = (self.num_nodes, self.num_graphs)
        return any(
            each.dim() > 1 and each.is_floating_point() and len(each) in counts
            for each in tensors(given)
        )

    def is_given(self, given: object) -> bool:
        """Tell whether the weights are among what is given, alone or as a column of something."""
        return any(self._columns(each) is not None for each in tensors(given))

    def with_ones(self, given: Any) -> Any:
        """Return the same with ones in the place of the weights."""
        return mapped(given, self._ones)

    def something_else(self, given: object) -> bool:
        """Tell whether something is given that may have been made of the weights: numbers for every
        edge that the batch did not have, or what we cannot look into.
        """
        return any(
            not isinstance(each, PLAIN)
            and (not isinstance(each, Tensor) or self._may_come_of_weights(each))
            for each in leaves(given)
        )

    def _may_come_of_weights(self, tensor: Tensor) -> bool:
        if tensor.layout is not torch.strided:
            return True
        per_edge = tensor.is_floating_point() and tensor.dim() > 0 and len(tensor) == self.num_edges
        if not per_edge or self._columns(tensor) is not None:
            return False
        return not any(_same(tensor, each) for each in self.tensors)

    def _ones(self, value: Any) -> Any:
        columns = self._columns(value) if isinstance(value, Tensor) else None
        if columns is None:
            return value
        changed = value.detach().clone().view(self.num_edges, -1)
        changed[:, columns] = 1
        return changed.view(value.shape)

    def _columns(self, tensor: Tensor) -> Tensor | None:
        """Return which columns of a tensor are the weights; None if none is."""
        weight = self.weight
        if weight is None or tensor.layout is not torch.strided or tensor.dim() == 0:
            return None
        if len(tensor) != self.num_edges or not len(tensor) or tensor.dtype != weight.dtype:
            return None
        rows = tensor.detach().reshape(self.num_edges, -1)
        columns = (rows == weight.to(tensor.device).view(-1, 1)).all(0)
        return columns if bool(columns.any()) else None


def tensors(given: object) -> Iterator[Tensor]:
    """Yield the tensors in what a model is given."""
    return (each for each in leaves(given) if isinstance(each, Tensor))


def leaves(given: object) -> Iterator[object]:
    """Yield what is in lists, dictionaries and batches."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from leaves(each)
    elif isinstance(given, Mapping):
        yield from leaves(list(given.values()))
    elif _is_data(given):
        yield from leaves(given.to_dict())  # type: ignore[attr-defined]
    else:
        yield given


def mapped(given: Any, change: Callable[[Any], Any]) -> Any:
    """Return the same with every leaf changed; containers are new."""
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*(mapped(each, change) for each in given))
    if isinstance(given, list | tuple):
        return type(given)(mapped(each, change) for each in given)
    if isinstance(given, Mapping):
        return {key: mapped(value, change) for key, value in given.items()}
    if not _is_data(given):
        return change(given)
    new = copy.copy(given)
    for key, value in given.to_dict().items():
        if (changed := mapped(value, change)) is not value:
            new[key] = changed
    return new


def _is_data(value: object) -> bool:
    from torch_geometric.data import Data

    return isinstance(value, Data)


def _same(left: Tensor, right: Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype or left.layout != right.layout:
        return False
    return left.data_ptr() == right.data_ptr() or torch.equal(left.to(right.device), right)
