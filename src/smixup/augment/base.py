"""The three places where an augmentation may act; the base class acts in none of them: it is
Vanilla.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from smixup.graphs import GraphBatch, GraphSet
from smixup.seeding import generator


class Model(Protocol):
    """What an augmentation may ask of the classifier in training."""

    def nodes(self, batch: GraphBatch) -> Tensor:
        """Return node representations `[n, H]`."""
        ...

    def __call__(self, batch: GraphBatch) -> Tensor:
        """Return logits `[B, C]`."""
        ...

    @property
    def training(self) -> bool:
        """Whether dropout and batch statistics are at work."""
        ...

    def train(self, mode: bool = True) -> object:
        """Switch between training and evaluation."""
        ...


class Augmentation:
    """Vanilla: no augmentation, and the contract of all others.

    A training run calls `on_dataset` and `bind` once, then for every batch `on_batch` and, after
    the readout, `on_embedding`. None of them changes its argument; each returns an object under the
    same data contract.
    """

    def on_dataset(self, train: GraphSet) -> GraphSet:
        """Learn from the training split, and return what to train on."""
        return train

    def bind(self, model: Model) -> None:
        """Get to know the classifier that will be trained, for methods that ask it what matters in
        a graph.
        """

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Return the graphs to train on in place of `batch`."""
        return batch

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return graph representations `[B, H]` and targets `[B, C]` in place of `h` and `y`."""
        return h, y

    def state_dict(self) -> dict[str, Tensor]:
        """Return what changes from batch to batch, such as the random state, so that a run can be
        resumed.
        """
        return {}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Go back to a state of `state_dict`, after `on_dataset`."""


@dataclass
class RandomAugmentation(Augmentation):
    """A method with a source of randomness of its own, which a checkpoint keeps.

    Attributes:
        seed: of everything random.
    """

    seed: int = field(default=0, kw_only=True)
    random: torch.Generator = field(init=False, repr=False, compare=False)

    purpose: ClassVar[str]
    """Name of the method among those who draw from the run's seed."""

    def __post_init__(self) -> None:
        self.random = generator(self.seed, self.purpose)

    def state_dict(self) -> dict[str, Tensor]:
        return {"random": self.random.get_state()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self.random.set_state(state["random"])
