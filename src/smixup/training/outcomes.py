"""What predictions are worth, beyond one score: ranking, probabilities, and how well they are
calibrated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from scipy.optimize import minimize_scalar
from torch import Tensor

from smixup.training.evaluation import Outputs
from smixup.training.metrics import accuracy, calibration_error, rocauc

HOTTEST = 20.0
"""Bound of a temperature, and of its inverse."""


@dataclass(frozen=True)
class Outcomes:
    """What a model is worth on a split.

    Attributes:
        accuracy: share of graphs whose most likely class is theirs.
        rocauc: area under the ROC curve, averaged over classes; nan where a class has no graph.
        log_loss: mean cross-entropy.
        brier: mean squared distance of the probabilities of all classes to the target.
        calibration_error: expected calibration error.
    """

    accuracy: float
    rocauc: float
    log_loss: float
    brier: float
    calibration_error: float

    @classmethod
    def of(cls, outputs: Outputs, temperature: float = 1.0) -> Outcomes:
        """Judge outputs, their logits divided by a temperature."""
        logits, labels = outputs.logits / temperature, outputs.y.argmax(1)
        probabilities = logits.softmax(1)
        ranked = labels.unique().numel() == logits.size(1)
        return cls(
            accuracy(probabilities, labels),
            rocauc(probabilities, labels) if ranked else math.nan,
            float(F.cross_entropy(logits, outputs.y)),
            float((probabilities - outputs.y).square().sum(1).mean()),
            calibration_error(probabilities, labels),
        )


def best_temperature(outputs: Outputs) -> float:
    """Return the temperature at which outputs have the lowest mean cross-entropy (Guo et al. 2017).

    Fit it on the validation split and divide the logits of the test split by it. Targets are
    smoothed as in Platt's scaling (1999): n graphs of C classes are not surer of a class than
    (n + 1) / (n + C). Otherwise a few graphs, all of them right, would ask for a temperature of 0,
    and the first wrong test graph would cost a fortune. The loss is convex in the inverse
    temperature; both are kept within `HOTTEST`.

    >>> logits = torch.tensor([[9.0, 0.0], [9.0, 0.0], [9.0, 0.0], [9.0, 0.0]])
    >>> y = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> round(best_temperature(Outputs(logits, y)) * math.log(2), 3)  # (3 + 1) of (4 + 2) are right
    9.0
    """
    logits, y = outputs.logits.double(), outputs.y.double()
    graphs, classes = y.shape
    y = (graphs * y + 1) / (graphs + classes)

    def loss(log_temperature: float) -> float:
        return float(_cross_entropy(logits / math.exp(log_temperature), y))

    bound = math.log(HOTTEST)
    found = minimize_scalar(loss, bounds=(-bound, bound), method="bounded", options={"xatol": 1e-6})
    return math.exp(float(found.x))


def _cross_entropy(logits: Tensor, y: Tensor) -> Tensor:
    return torch.logsumexp(logits, 1).sub((logits * y).sum(1)).mean()
