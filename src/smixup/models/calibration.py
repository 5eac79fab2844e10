"""How sure a model may be: a temperature, and sets that hold the truth as often as was asked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from scipy.optimize import minimize_scalar
from torch import Tensor

from smixup.errors import UsageError, require
from smixup.models.conformal import (
    class_scores,
    highest_level,
    label_scores,
    rank_of,
    threshold,
    value_scores,
)
from smixup.ranges import Positive, RangedFields
from smixup.tasks import Classes, Labels, Task
from smixup.training.evaluation import Outputs
from smixup.training.outcomes import HOTTEST, best_temperature


@dataclass(frozen=True)
class Calibration(RangedFields):
    """What was learned from graphs that a model was not trained on.

    Attributes:
        temperature: by which logits are divided; of values 1.
        scores: how badly the truth of each of these graphs fits the prediction, `[n, T]`: of
            classes in one column, of labels and values in one each, NaN where the truth is not
            known.
    """

    temperature: Positive
    scores: Tensor

    @classmethod
    def of(cls, outputs: Outputs, task: Task) -> Calibration:
        """Calibrate by graphs that had no part in choosing the model (`training/crossed.py`)."""
        logits, y = outputs.logits.cpu(), outputs.y.cpu()
        if isinstance(task, Classes):
            temperature = best_temperature(Outputs(logits, y)) if len(y) else 1.0
            found = class_scores(logits / temperature)
            return cls(temperature, found.gather(1, y.argmax(1, keepdim=True)))
        if isinstance(task, Labels):
            temperature = best_label_temperature(logits, y)
            found = label_scores(logits / temperature)
            place = torch.where(y.isnan(), 0.0, y).round().long().unsqueeze(2)
            scores = found.gather(2, place).squeeze(2)
            return cls(temperature, torch.where(y.isnan(), math.nan, scores))
        return cls(1.0, value_scores(task.predicted(logits), y))

    @property
    def numbers(self) -> list[int]:
        """How many graphs each column was calibrated by."""
        return (~self.scores.isnan()).sum(0).tolist()

    def scaled(self, logits: Tensor) -> Tensor:
        """Divide logits by the temperature."""
        return logits if self.temperature == 1.0 else logits / self.temperature

    def thresholds(self, level: float) -> Tensor:
        """Return the largest score in a set at a level, of every column `[T]`."""
        return torch.tensor(
            [threshold(column, level) for column in self.scores.unbind(1)], dtype=torch.double
        )

    def can(self, level: float) -> bool:
        """Tell whether there are graphs enough for a level in every column."""
        return all(rank_of(level, number) <= number for number in self.numbers)

    def require(self, level: float) -> None:
        """Refuse a level for which there are too few graphs."""
        require(0 < level < 1, "level", level, "above 0 and below 1")
        if not self.can(level):
            number = min(self.numbers, default=0)
            raise UsageError(
                f"sets at the level {level:g} need {math.ceil(level / (1 - level) - 1e-9)} "
                f"validation graphs, and this model has {number}: ask for "
                f"{math.floor(1000 * highest_level(number)) / 1000:g} at most."
            )


def best_label_temperature(logits: Tensor, y: Tensor) -> float:
    """Return the temperature at which logits `[G, T]` of labels have the lowest cross-entropy; one
    for all labels, as most have few graphs that hold.

    As in `best_temperature`, targets are smoothed by the number of graphs; labels that are not
    known (NaN) count for nothing.
    """
    known = ~y.isnan()
    if not known.any():
        return 1.0
    number = known.sum(0).double()
    smooth = (number * torch.where(known, y, 0.0).double() + 1) / (number + 2)

    def loss(log_temperature: float) -> float:
        scaled = logits.double() / math.exp(log_temperature)
        each = F.binary_cross_entropy_with_logits(scaled, smooth, reduction="none")
        return float(each[known].mean())

    bound = math.log(HOTTEST)
    found = minimize_scalar(loss, bounds=(-bound, bound), method="bounded", options={"xatol": 1e-6})
    return math.exp(float(found.x))
