"""How sure a model may be: a temperature, and sets that hold the truth with a chosen probability.

Split conformal prediction (Vovk et al. 2005; Sadinle et al. 2019 for classes): every calibration
graph has a score, which says how badly its truth fits the prediction. A set holds whatever fits no
worse than a quantile of these. If new graphs are drawn like the calibration graphs, and nothing was
fitted to these, a set holds the truth with probability `ceil((n + 1) level) / (n + 1)` over both
draws, where n is the number of calibration graphs: at least `level`, and at most `1 / (n + 1)`
more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from scipy.optimize import minimize_scalar
from torch import Tensor

from smixup.errors import UsageError, require
from smixup.settings import Positive, RangedFields
from smixup.tasks import Classes, Labels, Task
from smixup.training.evaluation import Outputs

HOTTEST = 20.0  # bound of a temperature, and of its inverse
ROUNDING = 1e-9


@dataclass(frozen=True)
class Calibration(RangedFields):
    """What was learned from graphs that a model was not trained on.

    Attributes:
        temperature: by which logits are divided; of values 1.
        scores: how badly the truth of each graph fits the prediction, `[n, T]`: of classes in one
            column, of labels and values in one each, NaN where it is not known.
    """

    temperature: Positive
    scores: Tensor

    @classmethod
    def of(cls, outputs: Outputs, task: Task) -> Calibration:
        """Calibrate by graphs that had no part in choosing the model (`training/crossed.py`)."""
        logits, y = outputs.logits.cpu(), outputs.y.cpu()
        if isinstance(task, Classes):
            temperature = best_temperature(Outputs(logits, y)) if len(y) else 1.0
            scores = class_scores(logits / temperature)
            return cls(temperature, scores.gather(1, y.argmax(1, keepdim=True)))
        if isinstance(task, Labels):
            temperature = best_label_temperature(logits, y)
            place = y.nan_to_num().round().long().unsqueeze(2)
            scores = label_scores(logits / temperature).gather(2, place).squeeze(2)
            return cls(temperature, scores.where(~y.isnan(), math.nan))
        return cls(1.0, (task.predicted(logits).double() - y.double()).abs())

    @property
    def numbers(self) -> list[int]:
        """How many graphs each column was calibrated by."""
        return (~self.scores.isnan()).sum(0).tolist()

    def thresholds(self, level: float) -> Tensor:
        """Return the largest score in a set at a level, of every column `[T]`."""
        columns = self.scores.unbind(1)
        return torch.tensor([threshold(column, level) for column in columns], dtype=torch.double)

    def can(self, level: float) -> bool:
        """Tell whether there are graphs enough for a level in every column."""
        return all(rank_of(level, number) <= number for number in self.numbers)

    def require(self, level: float) -> None:
        """Refuse a level for which there are too few graphs."""
        require(0 < level < 1, "level", level, "above 0 and below 1")
        if not self.can(level):
            number = min(self.numbers, default=0)
            needed = math.ceil(level / (1 - level) - ROUNDING)
            highest = math.floor(1000 * number / (number + 1)) / 1000
            raise UsageError(
                f"sets at the level {level:g} need {needed} validation graphs, and this model has "
                f"{number}: ask for {highest:g} at most."
            )


def rank_of(level: float, number: int) -> int:
    """Return which score, counted from 1, is the threshold at a level; scores are too few if it is
    above `number`.
    """
    return math.ceil((number + 1) * level - ROUNDING)


def threshold(scores: Tensor, level: float) -> float:
    """Return the score up to which candidates belong to a set; infinite if there are too few known
    scores `[n]`.
    """
    known = scores[~scores.isnan()]
    rank = rank_of(level, known.numel())
    return float(known.sort().values[rank - 1]) if rank <= known.numel() else math.inf


def class_scores(logits: Tensor) -> Tensor:
    """Return `-log p` of every class `[G, C]`, for the smallest sets on average.

    It is `log(1 + odds against the class)`, in double precision: probabilities close to one would
    tie, and ties make sets larger than they need be.
    """
    logits = logits.double()
    columns = []
    for place in range(logits.size(1)):
        others = torch.cat([logits[:, :place], logits[:, place + 1 :]], 1)
        columns.append(F.softplus(others.logsumexp(1) - logits[:, place], threshold=40))
    return torch.stack(columns, 1)


def label_scores(logits: Tensor) -> Tensor:
    """Return `-log p` of a label not holding and holding, `[G, T, 2]`."""
    logits = logits.double()
    return torch.stack([-F.logsigmoid(-logits), -F.logsigmoid(logits)], 2)


def best_temperature(outputs: Outputs) -> float:
    """Return the temperature at which outputs have the lowest mean cross-entropy (Guo et al. 2017).

    Targets are smoothed as in Platt's scaling (1999): n graphs of C classes are not surer of a
    class than (n + 1) / (n + C). Otherwise a few graphs, all of them right, would ask for a
    temperature of 0, and the first wrong test graph would cost a fortune.
    """
    y = outputs.y.double()
    graphs, classes = y.shape
    smooth = (graphs * y + 1) / (graphs + classes)
    return _best(F.cross_entropy, outputs.logits, smooth)


def best_label_temperature(logits: Tensor, y: Tensor) -> float:
    """Return the same of known labels `[G, T]`; one for all, as most have few graphs that hold."""
    known, graphs = ~y.isnan(), (~y.isnan()).sum(0).double()
    if not known.any():
        return 1.0
    smooth = (graphs * y.nan_to_num().double() + 1) / (graphs + 2)
    return _best(F.binary_cross_entropy_with_logits, logits[known], smooth[known])


def _best(loss: Callable[..., Tensor], logits: Tensor, targets: Tensor) -> float:
    """Return the temperature at which a loss of divided logits is the lowest."""
    logits, bound = logits.double(), math.log(HOTTEST)
    best = minimize_scalar(
        lambda logarithm: float(loss(logits / math.exp(logarithm), targets)),
        bounds=(-bound, bound),
        options={"xatol": 1e-6},
    )
    return math.exp(best.x)
