"""How to train, apart from what on and with what; and which epoch's model is reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from smixup.settings import Count, Natural, NotNegative, Positive, RangedFields

Accelerator = Literal["cpu", "cuda", "auto"]
Selection = Literal["score", "smoothed-loss", "last"]
"""Rules by which the validation split chooses an epoch:

- `score`: the highest validation score, as in the paper; of equal scores the lower validation loss.
- `smoothed-loss`: the lowest mean of the validation loss over the last nine epochs. Scores of a
  hundred graphs jump from epoch to epoch, so that their maximum is partly luck.
- `last`: the last epoch; nothing is chosen.
"""
Schedule = Literal["constant", "one-cycle"]
WINDOW, WARM_UP = 9, 0.1


@dataclass(frozen=True)
class TrainSettings(RangedFields):
    """Settings of one training run (Table 8).

    Attributes:
        epochs: passes over the training split.
        learning_rate: of Adam, the highest.
        batch_size: graphs per step.
        weight_decay: of Adam.
        seed: of the order of batches and of dropout.
        accelerator: where to train; `auto` takes a CUDA device if there is one, else the CPU.
        selection: the rule by which the validation split chooses the best epoch.
        schedule: `constant`, or `one-cycle`: a rate that rises for a tenth of the time, and then
            falls to zero along a cosine.
    """

    epochs: Count
    learning_rate: Positive
    batch_size: Count
    weight_decay: NotNegative = 0.0
    seed: Natural = 0
    accelerator: Accelerator = "cpu"
    selection: Selection = "score"
    schedule: Schedule = "constant"

    def rate_at(self, done: float) -> float:
        """Return the learning rate when a share of all steps is done."""
        if self.schedule == "constant":
            return self.learning_rate
        if done < WARM_UP:
            return self.learning_rate * (0.04 + 0.96 * done / WARM_UP)
        return self.learning_rate * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP))) / 2


RECIPE_SIZES = {"hidden_channels": 64, "num_layers": 3, "dropout": 0.2}
RECIPE = {"learning_rate": 0.003, "batch_size": 32, "schedule": "one-cycle", "selection": "last"}
"""How the backbone `wide` is built, and trained."""
FEWEST_STEPS, MOST_STEPS, EPOCHS = 300, 4000, 100


def recipe(graphs: int, seed: int = 0) -> TrainSettings:
    """Return how `wide` is trained on so many graphs: for a hundred epochs, if these are neither
    very few steps nor very many.

    >>> [recipe(graphs).epochs for graphs in (25, 200, 20_000)]
    [300, 100, 7]
    """
    steps = math.ceil(graphs / 32)
    epochs = min(max(EPOCHS, math.ceil(FEWEST_STEPS / steps)), math.ceil(MOST_STEPS / steps))
    return TrainSettings(epochs=epochs, seed=seed, **RECIPE)  # type: ignore[arg-type]


def improves(
    selection: Selection,
    scores: Sequence[float],
    losses: Sequence[float],
    best: int,
    higher: bool = True,
) -> bool:
    """Tell whether the last epoch is better, by a rule, than the best before it, counted from 1; 0
    if there is none.

    >>> improves("score", scores=[0.5, 0.7], losses=[0.9, 0.7], best=1)
    True
    """

    def merit(epoch: int) -> tuple[float, ...]:
        if selection == "last":
            return (epoch,)
        if selection == "smoothed-loss":
            return (-fmean(losses[max(epoch - WINDOW, 0) : epoch]),)
        score = scores[epoch - 1]
        return score if higher else -score, -losses[epoch - 1]

    return best == 0 or merit(len(scores)) > merit(best)
