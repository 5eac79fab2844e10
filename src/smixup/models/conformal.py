"""Split conformal prediction: sets of classes and intervals of values that hold the truth with a
chosen probability (Vovk et al. 2005; Sadinle et al. 2019 for classes).

Every calibration graph has a score, which says how badly its truth fits the prediction. A set holds
whatever fits no worse than a quantile of these. If new graphs are drawn like the calibration
graphs, and nothing was fitted to these, a set holds the truth with probability
`ceil((n + 1) level) / (n + 1)` over both draws, where n is the number of calibration graphs: at
least `level`, and at most `1 / (n + 1)` more.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

ROUNDING = 1e-9


def rank_of(level: float, number: int) -> int:
    """Return which score, counted from 1 in ascending order, is the threshold at a level; more than
    `number` means that there are too few.

    >>> rank_of(0.9, 99), rank_of(0.9, 8)
    (90, 9)
    """
    return math.ceil((number + 1) * level - ROUNDING)


def highest_level(number: int) -> float:
    """Return the highest level at which so many scores have a threshold."""
    return number / (number + 1)


def threshold(scores: Tensor, level: float) -> float:
    """Return the score `[n]` up to which candidates belong to a set; infinite if there are too few
    scores, and everything belongs to it. Scores that are not known (NaN) do not count.

    >>> threshold(torch.tensor([3.0, 1.0, 2.0, 4.0]), 0.5)
    3.0
    """
    known = scores[~scores.isnan()]
    rank = rank_of(level, known.numel())
    return float(known.sort().values[rank - 1]) if rank <= known.numel() else math.inf


def class_scores(logits: Tensor) -> Tensor:
    """Return `-log p` of every class `[G, C]`: the score of a class if it were the true one. Sets
    are then those of classes of a probability above a threshold, which are the smallest on average.

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


def value_scores(values: Tensor, y: Tensor) -> Tensor:
    """Return how far values `[G, T]` are from the truth; NaN where that is not known."""
    return (values.double() - y.double()).abs()
