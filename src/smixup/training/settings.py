"""How to train, apart from what on and with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from smixup.errors import require
from smixup.training.selection import SELECTIONS, Selection

Precision = Literal["32-true", "bf16-mixed"]
PRECISIONS = get_args(Precision)
ACCELERATORS = ("cpu", "cuda", "auto")


@dataclass(frozen=True)
class TrainSettings:
    """Settings of one training run (Table 8).

    Attributes:
        epochs: passes over the training split.
        learning_rate: of Adam, constant.
        batch_size: graphs per step, over all devices together.
        weight_decay: of Adam.
        seed: of the order of batches and of dropout.
        accelerator: where to train; `auto` takes a CUDA device if there is one, else the CPU.
        devices: processes that share each batch.
        precision: `32-true`, or `bf16-mixed` for half-width products.
        test_every_epoch: evaluate the test split in every epoch, for its curves; otherwise only the
            model of the best epoch, at the end. The result is the same.
        selection: the rule by which the validation split chooses the best epoch; see
            `training/selection.py`.
    """

    epochs: int
    learning_rate: float
    batch_size: int
    weight_decay: float = 0.0
    seed: int = 0
    accelerator: str = "cpu"
    devices: int = 1
    precision: Precision = "32-true"
    test_every_epoch: bool = True
    selection: Selection = "score"

    def __post_init__(self) -> None:
        require(self.epochs >= 1, "epochs", self.epochs, "1 or more")
        require(
            0 < self.learning_rate < float("inf"), "learning rate", self.learning_rate, "above 0"
        )
        require(self.batch_size >= 1, "batch size", self.batch_size, "1 or more")
        require(
            0 <= self.weight_decay < float("inf"), "weight decay", self.weight_decay, "0 or more"
        )
        require(self.devices >= 1, "devices", self.devices, "1 or more")
        require(
            self.accelerator in ACCELERATORS,
            "accelerator",
            self.accelerator,
            "one of " + ", ".join(ACCELERATORS),
        )
        require(
            self.precision in PRECISIONS,
            "precision",
            self.precision,
            "one of " + ", ".join(PRECISIONS),
        )
        require(
            self.selection in SELECTIONS,
            "selection",
            self.selection,
            "one of " + ", ".join(SELECTIONS),
        )
