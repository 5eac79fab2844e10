"""What every epoch brought, and which one is the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from smixup.training.evaluation import Evaluation
from smixup.training.selection import Selection, merit

CURVES = ("train_loss", "validation", "validation_loss", "test", "test_loss")
NOT_TESTED = Evaluation(math.nan, math.nan)


@dataclass
class History:
    """Curves over the epochs (Fig. 3) and the best epoch, which the validation split alone decides.

    Attributes:
        curves: one number per epoch under each name of `CURVES`; nan in those of the test split
            where it was not evaluated.
        best_epoch: counted from 1; 0 before the first.
        seconds: spent so far.
        selection: the rule by which an epoch is the best.
        higher: whether a higher score is a better one.
    """

    curves: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CURVES})
    best_epoch: int = 0
    seconds: float = 0.0
    selection: Selection = "score"
    higher: bool = True

    @property
    def epochs(self) -> int:
        """Epochs recorded."""
        return len(self.curves["train_loss"])

    def record(
        self, train_loss: float, validation: Evaluation, test: Evaluation = NOT_TESTED
    ) -> bool:
        """Append an epoch and say whether it is the best so far; of equals, the earlier one is."""
        numbers = (train_loss, validation.score, validation.loss, test.score, test.loss)
        for name, number in zip(CURVES, numbers, strict=True):
            self.curves[name].append(number)
        better = self.best_epoch == 0 or self._merit(self.epochs) > self._merit(self.best_epoch)
        self.best_epoch = self.epochs if better else self.best_epoch
        return better

    def record_test(self, test: Evaluation) -> None:
        """Note what the model of the best epoch is worth on the test split."""
        self.curves["test"][self.best_epoch - 1] = test.score
        self.curves["test_loss"][self.best_epoch - 1] = test.loss

    def _merit(self, epoch: int) -> tuple[float, ...]:
        return merit(self.selection, self.curves, epoch, self.higher)

    def at_best(self, curve: str) -> float:
        """Return the number of one curve at the best epoch."""
        return self.curves[curve][self.best_epoch - 1]

    def latest(self) -> dict[str, float]:
        """Return the last epoch's loss and validation score, and the best score."""
        last = {"loss": self.curves["train_loss"][-1], "validation": self.curves["validation"][-1]}
        return last | {"best": self.at_best("validation")}

    def restore(self, copy: Mapping[str, Any]) -> None:
        """Take up what `to_dict` returned, by the same rule of selection."""
        curves = {name: [float(each) for each in copy["curves"][name]] for name in CURVES}
        best = int(copy["best_epoch"])
        if len({*map(len, curves.values())}) > 1 or not 0 <= best <= len(curves["train_loss"]):
            raise ValueError("curves of different lengths, or a best epoch outside them")
        self.curves, self.best_epoch, self.seconds = curves, best, float(copy["seconds"])

    def to_dict(self) -> dict[str, Any]:
        """Return a copy from which `History(**copy)` is made again."""
        curves = {name: list(curve) for name, curve in self.curves.items()}
        return {**vars(self), "curves": curves}
