"""What classical models share: they learn at once, and all that they have learnt is tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from torch import Tensor, nn

from smixup.graphs import Graphs
from smixup.tasks import Task


class Learnt(nn.Module):
    """A module without weights, whose buffers take the sizes of what it has learnt."""

    def hold(self, **tensors: Tensor) -> None:
        """Keep what has been learnt."""
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor)

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *others: Any) -> None:
        for name, tensor in self._buffers.items():
            if tensor is not None and prefix + name in state:
                self._buffers[name] = tensor.new_empty(state[prefix + name].shape)
        super()._load_from_state_dict(state, prefix, *others)


class Classical(Learnt, ABC):
    """A model that is no network; its outputs are those of a network for the same task."""

    @abstractmethod
    def learn(self, train: Graphs, task: Task, seed: int = 0) -> Self:
        """Fit the model to training graphs."""
