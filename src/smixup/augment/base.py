"""The three places where an augmentation may act; the base class acts in none of them: it is Vanilla."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from torch import Tensor

from smixup.graphs import GraphBatch, GraphSet


class Model(Protocol):
    """What an augmentation may ask of the classifier in training."""

    def nodes(self, batch: GraphBatch) -> Tensor:
        """Return node representations `[n, H]`."""
        ...

    def __call__(self, batch: GraphBatch) -> Tensor:
        """Return logits `[B, C]`."""
        ...


class Augmentation:
    """Vanilla: no augmentation, and the contract of all others.

    A training run calls `on_dataset` once, then for every batch `on_batch` and, after the readout, `on_embedding`. None
    of them changes its argument; each returns an object under the same data contract.
    """

    def on_dataset(self, train: GraphSet) -> GraphSet:
        """Learn from the training split, and return what to train on."""
        return train

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Return the graphs to train on in place of `batch`."""
        return batch

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return graph representations `[B, H]` and targets `[B, C]` in place of `h` and `y`."""
        return h, y

    def state_dict(self) -> dict[str, Tensor]:
        """Return what changes from batch to batch, such as the random state, so that a run can be resumed."""
        return {}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Go back to a state of `state_dict`, after `on_dataset`."""
