"""What moves in a run, what every epoch brought, and when both are written down."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.errors import Interrupted, SmixupError, warn_user
from smixup.saved import CheckpointFile, Tensors, joined, part
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Evaluation
from smixup.training.settings import Selection, improves

CURVES = ("train_loss", "validation", "validation_loss")
SECONDS_BETWEEN_WRITES = 60.0


@dataclass
class History:
    """Curves over the epochs (Fig. 3) and the best epoch, which the validation split alone decides.

    Attributes:
        curves: one number per epoch under each name of `CURVES`.
        best_epoch: counted from 1; 0 before the first.
        test, test_loss: of the model of the best epoch, at the end.
        seconds: spent so far.
        selection: the rule by which an epoch is the best, of which a `higher` score is better.
    """

    curves: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CURVES})
    best_epoch: int = 0
    test: float = math.nan
    test_loss: float = math.nan
    seconds: float = 0.0
    selection: Selection = "score"
    higher: bool = True

    @property
    def epochs(self) -> int:
        """Epochs recorded."""
        return len(self.curves["train_loss"])

    def record(self, train_loss: float, validation: Evaluation) -> bool:
        """Append an epoch and say whether it is the best so far; of equals, the earlier one is."""
        numbers = (train_loss, validation.score, validation.loss)
        for name, number in zip(CURVES, numbers, strict=True):
            self.curves[name].append(number)
        scores, losses = self.curves["validation"], self.curves["validation_loss"]
        better = improves(self.selection, scores, losses, self.best_epoch, self.higher)
        self.best_epoch = self.epochs if better else self.best_epoch
        return better

    def at_best(self, curve: str) -> float:
        """Return the number of one curve at the best epoch."""
        return self.curves[curve][self.best_epoch - 1]

    def latest(self) -> dict[str, float]:
        """Return the last epoch's loss and validation score, and the best score."""
        last = {"loss": self.curves["train_loss"][-1], "validation": self.curves["validation"][-1]}
        return last | {"best": self.at_best("validation")}

    def restore(self, copy: Mapping[str, Any]) -> None:
        """Take up what `to_dict` returned, by the same rule of selection."""
        self.curves = {name: [*map(float, copy["curves"][name])] for name in CURVES}
        self.best_epoch, self.seconds = int(copy["best_epoch"]), float(copy["seconds"])

    def to_dict(self) -> dict[str, Any]:
        """Return a copy from which `History(**copy)` is made again."""
        return {**vars(self), "curves": {name: [*curve] for name, curve in self.curves.items()}}


@dataclass
class TrainState:
    """The moving parts of a run, and the file that keeps them; `batches` gives the order of
    batches, `best` is the model of the best epoch so far.

    An interruption may come anywhere inside an epoch; what is written then is the state from before
    that epoch, which is why it is held in memory.
    """

    model: Classifier
    optimizer: torch.optim.Optimizer
    augment: Augmentation
    batches: torch.Generator
    history: History
    file: CheckpointFile | None = None
    crossed: Crossed | None = None
    best: Tensors = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.last: tuple[Tensors, dict[str, Any]] = ({}, {})
        self.last_write = time.perf_counter()

    def keep_best(self) -> None:
        """Remember the model as it is now."""
        self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def keep(self) -> None:
        """Hold a copy of everything, and write it if the last one on disk is old."""
        if self.file is not None:
            self.last = (self._tensors(), self.history.to_dict())
            if time.perf_counter() - self.last_write > SECONDS_BETWEEN_WRITES:
                self.write()

    def write(self) -> bool:
        """Write the last copy and tell whether that is done; the user is warned if it fails."""
        self.last_write = time.perf_counter()
        try:
            if self.file is not None:
                self.file.write(*self.last)
        except SmixupError as error:
            warn_user(f"the state of the run is not kept: {error}")
            return False
        return self.file is not None

    def interrupted(self) -> Interrupted:
        """Write the last copy and return the error that says how to go on."""
        if self.file is None or not self.write():
            return Interrupted("interrupted; its state is not kept.")
        epochs = len(self.last[1]["curves"]["train_loss"])
        return Interrupted(
            f"interrupted after epoch {epochs}; {self.file.path} keeps it: repeat with --resume to "
            "go on."
        )

    def restore(self, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
        """Go back to what a checkpoint holds."""
        self.history.restore(notes)
        self.model.load_state_dict(part(tensors, "model"))
        device = next(self.model.parameters()).device
        self.best = {name: tensor.to(device) for name, tensor in part(tensors, "best").items()}
        moments = part(tensors, "optimizer")
        places = {key.partition(".")[0] for key in moments}
        moving = {"state": {int(place): part(moments, place) for place in places}}
        self.optimizer.load_state_dict(self.optimizer.state_dict() | moving)
        self.augment.load_state_dict(part(tensors, "augment"))
        random = part(tensors, "random")
        self.batches.set_state(random["batches"])
        torch.set_rng_state(random["cpu"])
        if self.crossed is not None:
            self.crossed.load_state_dict(part(tensors, "crossed"))

    def _tensors(self) -> Tensors:
        random = {"batches": self.batches.get_state(), "cpu": torch.get_rng_state()}
        parts = {
            "model": self.model.state_dict(),
            "best": self.best,
            "optimizer": joined(self.optimizer.state_dict()["state"]),
            "augment": self.augment.state_dict(),
            "random": random,
            "crossed": {} if self.crossed is None else self.crossed.state_dict(),
        }
        return {name: tensor.clone() for name, tensor in joined(parts).items()}
