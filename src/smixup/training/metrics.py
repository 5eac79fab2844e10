"""Scores of predictions, from torchmetrics (imported at first use: it takes seconds).

| metric | classes | labels | values |
|---|---|---|---|
| `accuracy` | share of graphs that are right | share of known labels that are right | |
| `balanced-accuracy` | mean over classes of the share that is right | mean over labels | |
| `rocauc`, `ap` | mean over classes | mean over labels | |
| `mae`, `rmse`, `r2` | | | mean over quantities |

Labels and values that are not known count for nothing; a label of which all known graphs say the
same has no ROC-AUC and no average precision, and is left out of the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from statistics import fmean
from typing import Any

import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.tasks import Task

Score = Callable[[Tensor, Tensor], float]
CALIBRATION_BINS = 15
DIGITS = 6  # of an accuracy, which comes in single precision
OF_RANKS = "ROC-AUC"


@dataclass(frozen=True)
class Metric:
    """A score of predictions.

    Attributes:
        name: by which it is asked for.
        of_classes: takes probabilities `[G, C]` and class numbers `[G]`; None where there is none.
        of_columns: takes predictions and targets `[G, T]`, in which NaN is not known.
        higher: whether a higher score is a better one.
    """

    name: str
    of_classes: Score | None = None
    of_columns: Score | None = None
    higher: bool = True

    def __call__(self, predicted: Tensor, truth: Tensor) -> float:
        """Score predictions; the truth has one dimension where it is class numbers."""
        score = self.of_classes if truth.dim() == 1 else self.of_columns
        assert score is not None, "require_suits comes before"
        return score(predicted, truth)

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1, and is shown in percent; errors have units."""
        return self.of_classes is not None

    def require_suits(self, task: Task) -> None:
        """Refuse a task that has no such score."""
        if self.name not in task.metrics:
            raise UsageError(
                f"{self.name} is no score of {task.kind}; take one of {', '.join(task.metrics)}."
            )


def accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs whose most likely class `[G, C]` is their label `[G]`."""
    classes = probabilities.size(1)
    share = _scores().multiclass_accuracy(
        probabilities, labels, classes, average="micro", validate_args=False
    )
    return round(float(share), DIGITS)


def balanced_accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs that are right, averaged over the classes that occur."""
    right = probabilities.argmax(1) == labels
    return fmean(float(right[labels == each].double().mean()) for each in labels.unique())


def rocauc(probabilities: Tensor, labels: Tensor) -> float:
    """Return the area under the ROC curve, averaged over classes (for two classes: the ordinary
    area).
    """
    _require_every_class(probabilities, labels, OF_RANKS)
    classes = probabilities.size(1)
    return float(_scores().multiclass_auroc(probabilities, labels, classes, validate_args=False))


def average_precision(probabilities: Tensor, labels: Tensor) -> float:
    """Return the average precision: of the second class of two, else the mean over all."""
    _require_every_class(probabilities, labels, "average precision")
    if probabilities.size(1) == 2:
        return _precision_of_one(probabilities[:, 1], labels)
    return fmean(
        _precision_of_one(column, (labels == each).long())
        for each, column in enumerate(probabilities.unbind(1))
    )


def calibration_error(probabilities: Tensor, labels: Tensor) -> float:
    """Return the expected calibration error: confidence against accuracy in equal bins of
    confidence.
    """
    classes = probabilities.size(1)
    error = _scores().multiclass_calibration_error(
        probabilities, labels, classes, CALIBRATION_BINS, "l1", validate_args=False
    )
    return float(error)


def _require_every_class(probabilities: Tensor, labels: Tensor, score: str) -> None:
    if labels.unique().numel() < probabilities.size(1):
        raise SmixupError(
            f"{score} needs graphs of every class in each split; use another split or seed."
        )


def _precision_of_one(scores: Tensor, labels: Tensor) -> float:
    return float(_scores().binary_average_precision(scores, labels, validate_args=False))


def _rocauc_of_one(scores: Tensor, labels: Tensor) -> float:
    return float(_scores().binary_auroc(scores, labels, validate_args=False))


def _right_of_one(probabilities: Tensor, labels: Tensor) -> float:
    return float(((probabilities > 0.5).long() == labels).double().mean())


def _balanced_of_one(probabilities: Tensor, labels: Tensor) -> float:
    return balanced_accuracy(torch.stack([1 - probabilities, probabilities], 1), labels)


def _over_labels(score: Score, both: bool) -> Score:
    """Return the mean of a score over columns; of those with graphs of both kinds, if `both`."""

    def mean(probabilities: Tensor, y: Tensor) -> float:
        found = []
        for column, target in zip(probabilities.unbind(1), y.unbind(1), strict=True):
            known = ~target.isnan()
            labels = target[known].long()
            if labels.numel() and not (both and labels.unique().numel() < 2):
                found.append(score(column[known], labels))
        if not found:
            raise SmixupError(
                "no label has graphs with and without it in this split; use another split or seed."
                if both
                else "no label is known in this split; use another split or seed."
            )
        return fmean(found)

    return mean


def _over_values(score: Score) -> Score:
    """Return the mean of a score over columns."""

    def mean(values: Tensor, y: Tensor) -> float:
        found = []
        for column, target in zip(values.double().unbind(1), y.double().unbind(1), strict=True):
            known = ~target.isnan()
            if known.any():
                found.append(score(column[known], target[known]))
        if not found:
            raise SmixupError("no value is known in this split; use another split or seed.")
        return fmean(found)

    return mean


def mean_absolute_error(values: Tensor, y: Tensor) -> float:
    """Return the mean absolute error of values `[G]`."""
    return float((values - y).abs().mean())


def root_mean_squared_error(values: Tensor, y: Tensor) -> float:
    """Return the root of the mean squared error of values `[G]`."""
    return math.sqrt(float((values - y).square().mean()))


def explained_variance(values: Tensor, y: Tensor) -> float:
    """Return R2, the share of the variance of `y [G]` that values explain; 0 where there is none
    to explain.
    """
    spread = float((y - y.mean()).square().sum())
    return 1.0 - float((values - y).square().sum()) / spread if spread > 0 else 0.0


def _scores() -> Any:
    return import_module("torchmetrics.functional.classification")


METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric("accuracy", accuracy, _over_labels(_right_of_one, both=False)),
        Metric("balanced-accuracy", balanced_accuracy, _over_labels(_balanced_of_one, both=False)),
        Metric("rocauc", rocauc, _over_labels(_rocauc_of_one, both=True)),
        Metric("ap", average_precision, _over_labels(_precision_of_one, both=True)),
        Metric("mae", of_columns=_over_values(mean_absolute_error), higher=False),
        Metric("rmse", of_columns=_over_values(root_mean_squared_error), higher=False),
        Metric("r2", of_columns=_over_values(explained_variance)),
    )
}


def metric_named(name: str) -> Metric:
    """Return a metric by its name."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]
