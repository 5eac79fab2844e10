"""What a method is: traits that tell what it does to graphs, and hooks that do it.

All hooks speak of `Graphs`. A method overrides those that it needs; what is not overridden does
nothing. How a method is called in a loop of a PyG user is `augment/base.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from torch import Tensor

from smixup.errors import UsageError
from smixup.graphs import AnyGraphs, Graphs
from smixup.progress import Report
from smixup.seeding import generator

if TYPE_CHECKING:
    from smixup.augment.replay import Replay
    from smixup.graphs import PackedGraphs
    from smixup.graphs.codes import Codes
    from smixup.tasks import Task

SAMPLE_GRAPHS, SAMPLE_NODES = 5000, 500_000
"""How much of a training split on disk a method learns from, where it has to hold it in memory."""


class Model(Protocol):
    """What an augmentation may ask of the classifier in training."""

    def __call__(self, batch: Graphs) -> Tensor:
        """Return logits `[B, C]`."""
        ...

    @property
    def training(self) -> bool:
        """Whether dropout and batch statistics are at work."""
        ...

    def train(self, mode: bool = True) -> object:
        """Switch between training and evaluation."""
        ...


class Hooks:
    """The contract of all methods.

    The training loop of this package calls `set_task`, `fit_extend` and `bind` once, `set_epoch` in
    every epoch, then `on_batch` for every batch and, after the readout, `on_embedding`. None of
    them changes its argument.
    """

    norm_from_originals: bool = False
    """Whether batch norm shall see the originals alone where new graphs stand behind them."""
    averages_edges: ClassVar[bool] = False
    """Whether an edge of a new graph may come from several, so that its attributes are averaged."""
    mixes_targets: ClassVar[bool] = False
    """Whether targets are soft in every batch, also where nothing was mixed."""
    reads_features: ClassVar[bool] = False
    """Whether it computes with features, so that codes of categories must be read before; others
    only move nodes."""
    needs_classes: ClassVar[str] = ""
    """What a method does with classes, if it cannot do without them; empty if it takes labels and
    values, too."""
    task: Task | None = None
    """What is asked of a graph; None where nobody has said it, as in a foreign loop."""
    codes: Codes | None = None
    """How `x` and `edge_attr` that are codes of categories are read."""

    # What a method does.

    def learn_codes(self, train: AnyGraphs) -> None:
        """Find out how codes of categories are to be read, for methods that read them."""

    def on_fit(self, train: Graphs, report: Report) -> None:
        """Learn from the training split."""

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return what to train on in place of the training split."""
        return train

    def on_packed(self, train: PackedGraphs, report: Report) -> None:
        """Learn from a training split on disk: from a sample of it, unless a method knows
        better.
        """
        self.on_fit(self.sample_of(train), report)

    def sample_of(self, train: PackedGraphs) -> Graphs:
        """Return graphs to learn from that fit into memory."""
        seed = getattr(self, "seed", None) or 0
        return train.sample(SAMPLE_GRAPHS, SAMPLE_NODES, generator(seed, "sample to learn from"))

    @property
    def grows(self) -> bool:
        """Whether the method may put new graphs behind the training split, before training."""
        return type(self).on_dataset is not Hooks.on_dataset

    def set_task(self, task: Task) -> None:
        """Hear what is asked of a graph, and by which loss the model learns it."""
        self.task = task

    def require_kind(self, has_classes: bool) -> None:
        """Refuse targets that are labels or values, where classes are needed."""
        if self.needs_classes and not has_classes:
            raise UsageError(
                f"{type(self).__name__} {self.needs_classes}, and these targets are not classes: "
                "make y integer if they are class numbers, or choose another method."
            )

    def bind(self, model: Model) -> None:
        """Get to know the classifier, for methods that ask it what matters in a graph."""

    def set_epoch(self, epoch: int, epochs: int) -> None:
        """Hear that epoch `epoch` of `epochs` begins, counted from 1."""

    def beside(self, batch: Graphs) -> Graphs | None:
        """Return new graphs to stand behind those of `batch`, which stay; None if there are none,
        or if the method changes the batch as a whole.
        """
        return None

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return the graphs to train on in place of `batch`; `batch` itself if nothing is done."""
        new = self.beside(batch)
        return batch if new is None else Graphs.cat([batch, new])

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return graph representations `[B, H]` and targets `[B, C]` in place of `h` and `y`."""
        return h, y

    def on_deaf_model(self) -> bool:
        """Hear that the model in training takes no notice of edge weights; tell whether nothing is
        mixed from now on.
        """
        return False

    def replay(self, i: int) -> Replay:
        """Tell how mix `i` of the last batch was made, for methods that align graphs."""
        raise UsageError(
            f"{type(self).__name__} aligns no graphs, so it has no mix to replay: SMixup and "
            "AlignedCut do."
        )

    # For checkpoints.

    def state_dict(self) -> dict[str, Tensor]:
        """Return what changes from batch to batch, such as the random state."""
        return {}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Go back to a state of `state_dict`, after `fit`."""
