"""Augmentations made of others: in order, by chance, or for some epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor

from smixup.augment.base import Augmentation, RandomAugmentation, Train
from smixup.errors import UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.progress import Report, on_terminal
from smixup.saved import part
from smixup.settings import NotNegative, Share

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.replay import Replay


def _of_parts(trait: str, combined: Callable[[Iterable[Any]], Any]) -> Any:
    """Return a trait that is combined from those of the parts."""
    return property(lambda self: combined(getattr(each, trait) for each in self.parts))


def _by_parts(hook: str) -> Any:
    """Return a hook that calls that of every part."""

    def call(self: Several, *args: object) -> None:
        for each in self.parts:
            getattr(each, hook)(*args)

    return call


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value), None)


class Several(Augmentation):
    """What all of these share: traits and hooks are those of their parts."""

    parts: Sequence[Augmentation]

    learns_from_disk = True
    averages_edges = _of_parts("averages_edges", any)
    reads_features = _of_parts("reads_features", any)
    mixes_targets = _of_parts("mixes_targets", any)
    norm_from_originals = _of_parts("norm_from_originals", any)
    grows = _of_parts("grows", any)
    codes = _of_parts("codes", _first)
    needs_classes = _of_parts("needs_classes", _first)

    learn_codes = _by_parts("learn_codes")
    on_fit = _by_parts("fit")
    require_kind = _by_parts("require_kind")
    bind = _by_parts("bind")
    set_epoch = _by_parts("set_epoch")
    set_task = _by_parts("set_task")

    def __call__(self, batch: Batch) -> Batch:
        self.num_classes = self.num_classes or _first(each.num_classes for each in self.parts)
        return super().__call__(batch)

    def on_dataset(self, train: Graphs) -> Graphs:
        for each in self.parts:
            train = each.on_dataset(train)
        return train

    def fit_extend(self, train: Train, report: Report = on_terminal) -> Train:
        """Fit and extend part by part, so that each sees what those before it have added."""
        for each in self.parts:
            train = each.fit_extend(train, report)
        return train

    def on_batch(self, batch: Graphs) -> Graphs:
        for each in self.acting:
            batch = each.on_batch(_tidied(batch))
        return batch

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        for each in self.acting:
            h, y = each.on_embedding(h, y)
        return h, y

    def on_deaf_model(self) -> bool:
        stopped = [each.on_deaf_model() for each in self.parts if each.averages_edges]
        return all(stopped)  # after every part was told

    @property
    def acting(self) -> Sequence[Augmentation]:
        """The parts that have a say in a batch."""
        return self.parts

    def replay(self, i: int) -> Replay:
        """Return how mix `i` of the last batch was made, where one part alone aligns graphs."""
        able = [each for each in self.acting if _can_replay(each)]
        if len(able) != 1:
            raise UsageError(
                f"{len(able)} parts of this {type(self).__name__} have aligned graphs of the last "
                f"batch: ask the one that you mean, such as parts[0].replay({i})."
            )
        return able[0].replay(i)

    def state_dict(self) -> dict[str, Tensor]:
        states = {str(place): each.state_dict() for place, each in enumerate(self.parts)}
        return {f"{place}.{key}": value for place, s in states.items() for key, value in s.items()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        for place, each in enumerate(self.parts):
            each.load_state_dict(part(state, str(place)))


def _tidied(batch: Graphs) -> Graphs:
    """Return a batch with one entry per edge: some methods leave an edge in two halves."""
    tidy = batch.adj.merged() is batch.adj
    return batch if tidy else batch.map_edges(SparseOperator.merged)


def _can_replay(augmentation: Augmentation) -> bool:
    if isinstance(augmentation, Several):
        return any(map(_can_replay, augmentation.acting))
    return type(augmentation).replay is not Augmentation.replay


@dataclass
class Compose(Several):
    """Does one augmentation after another.

    Example::

        augment = Compose([DropEdge(p=0.1), SMixup()]).fit(train_dataset)
    """

    parts: Sequence[Augmentation]


@dataclass
class OneOf(Several, RandomAugmentation):
    """Draws one of several augmentations for every batch.

    Example::

        augment = OneOf([SubMix(), Augmentation()], p=[0.25, 0.75]).fit(train_dataset)

    Attributes:
        p: the probability of each part, divided by their sum; all the same if not given.
    """

    parts: Sequence[Augmentation]
    p: Iterable[NotNegative] | None = None
    chosen: int = field(default=0, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "one of"

    def __post_init__(self) -> None:
        require(len(self.parts) > 0, "parts", self.parts, "one augmentation at least")
        self.p = [1.0] * len(self.parts) if self.p is None else list(self.p)
        super().__post_init__()
        fine = len(self.p) == len(self.parts) and sum(self.p) > 0
        require(fine, "p", self.p, "one number per part, zero or more, not all zero")

    acting = property(lambda self: [self.parts[self.chosen]])

    def on_batch(self, batch: Graphs) -> Graphs:
        weights = torch.tensor(self.p, dtype=torch.double)
        self.chosen = int(torch.multinomial(weights, 1, generator=self.random))
        return super().on_batch(batch)

    def state_dict(self) -> dict[str, Tensor]:
        return super().state_dict() | RandomAugmentation.state_dict(self)

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        super().load_state_dict(state)
        RandomAugmentation.load_state_dict(self, state)


@dataclass
class Until(Several):
    """Augments in the first `share` of the epochs, and leaves the last ones to the original graphs.

    In a loop of one's own, `set_epoch` says where it stands::

        augment = Until(SMixup().fit(train_dataset), share=0.8)
        for epoch in range(1, epochs + 1):
            augment.set_epoch(epoch, epochs)
            for batch in loader:
                batch = augment(batch)
    """

    augmentation: Augmentation
    share: Share = 0.8
    active: bool = field(default=True, init=False, repr=False, compare=False)

    parts = property(lambda self: [self.augmentation])
    acting = property(lambda self: self.parts if self.active else [])

    def set_epoch(self, epoch: int, epochs: int) -> None:
        super().set_epoch(epoch, epochs)
        self.active = epoch <= round(self.share * epochs)

    def beside(self, batch: Graphs) -> Graphs | None:
        return self.augmentation.beside(batch) if self.active else None
