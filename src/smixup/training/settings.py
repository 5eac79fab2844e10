"""How to train, apart from what on and with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from smixup.errors import require
from smixup.ranges import Count, NotNegative, Range, RangedFields, Rate, Seed, Steps
from smixup.training.selection import SELECTIONS, Selection

Precision = Literal["32-true", "bf16-mixed"]
PRECISIONS = get_args(Precision)
ACCELERATORS = ("cpu", "cuda", "auto")


@dataclass(frozen=True)
class TrainSettings(RangedFields):
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

    epochs: Steps
    learning_rate: Rate
    batch_size: Count
    weight_decay: NotNegative = 0.0
    seed: Seed = 0
    accelerator: str = "cpu"
    devices: Annotated[int, Range(1, limit=1024)] = 1
    precision: Precision = "32-true"
    test_every_epoch: bool = True
    selection: Selection = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
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
