"""Scores of predictions.

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
from functools import partial
from statistics import fmean

import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.tasks import Task

Score = Callable[[Tensor, Tensor], float]
CALIBRATION_BINS = 15
DIGITS = 6  # of an accuracy, which comes in single precision


@dataclass(frozen=True)
class Metric:
    """A score of predictions.

    Attributes:
        name: by which it is asked for.
        of_columns: takes predictions and targets `[G, T]`, in which NaN is not known.
        of_classes: takes probabilities `[G, C]` and class numbers `[G]`; None where there is none.
        higher: whether a higher score is a better one.
    """

    name: str
    of_columns: Score
    of_classes: Score | None = None
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
    return round(float((probabilities.argmax(1) == labels).float().mean()), DIGITS)


def balanced_accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs that are right, averaged over the classes that occur."""
    right = probabilities.argmax(1) == labels
    return fmean(float(right[labels == label].double().mean()) for label in labels.unique())


def rocauc(probabilities: Tensor, labels: Tensor) -> float:
    """Return the area under the ROC curve, averaged over classes (for two classes: the ordinary
    area).
    """
    _require_every_class(probabilities, labels, "ROC-AUC")
    columns = enumerate(probabilities.unbind(1))
    return fmean(_rocauc_of_one(column, labels == label) for label, column in columns)


def average_precision(probabilities: Tensor, labels: Tensor) -> float:
    """Return the average precision: of the second class of two, else the mean over all."""
    _require_every_class(probabilities, labels, "average precision")
    if probabilities.size(1) == 2:
        return _precision_of_one(probabilities[:, 1], labels)
    columns = enumerate(probabilities.unbind(1))
    return fmean(_precision_of_one(column, labels == label) for label, column in columns)


def calibration_error(probabilities: Tensor, labels: Tensor) -> float:
    """Return the expected calibration error: confidence against accuracy in equal bins of
    confidence.
    """
    confidence, likely = probabilities.double().max(1)
    bins = torch.bucketize(confidence, torch.linspace(0, 1, CALIBRATION_BINS + 1), right=True)
    gaps = confidence.new_zeros(CALIBRATION_BINS + 2)
    gaps.index_add_(0, bins, (likely == labels).double() - confidence)
    return float(gaps.abs().sum()) / len(labels)


def _require_every_class(probabilities: Tensor, labels: Tensor, score: str) -> None:
    if labels.unique().numel() < probabilities.size(1):
        raise SmixupError(
            f"{score} needs graphs of every class in each split; use another split or seed."
        )


def _rocauc_of_one(scores: Tensor, labels: Tensor) -> float:
    """Return the share of pairs of a graph with and one without that are in order; of equal scores
    half.
    """
    _, place, counts = scores.unique(return_inverse=True, return_counts=True)
    rank = (counts.cumsum(0) - (counts - 1) / 2).double()[place]
    positive = int(labels.sum())
    above = float(rank[labels.bool()].sum()) - positive * (positive + 1) / 2
    return above / (positive * (len(labels) - positive))


def _precision_of_one(scores: Tensor, labels: Tensor) -> float:
    """Return the mean, over the graphs with a label, of the precision down to their score."""
    _, place, counts = (-scores).unique(return_inverse=True, return_counts=True)
    hits = torch.zeros(len(counts), dtype=torch.double, device=scores.device)
    hits.index_add_(0, place, labels.double())
    return float((hits * hits.cumsum(0) / counts.cumsum(0)).sum() / hits.sum())


def _right_of_one(probabilities: Tensor, labels: Tensor) -> float:
    return float(((probabilities > 0.5).long() == labels).double().mean())


def _balanced_of_one(probabilities: Tensor, labels: Tensor) -> float:
    return balanced_accuracy(torch.stack([1 - probabilities, probabilities], 1), labels)


def _mean_absolute_error(values: Tensor, y: Tensor) -> float:
    return float((values - y).abs().mean())


def _root_mean_squared_error(values: Tensor, y: Tensor) -> float:
    return math.sqrt(float((values - y).square().mean()))


def _explained_variance(values: Tensor, y: Tensor) -> float:
    """Return R2; 0 where there is no variance to explain."""
    spread = float((y - y.mean()).square().sum())
    return 1.0 - float((values - y).square().sum()) / spread if spread > 0 else 0.0


def _over_labels(score: Score, predicted: Tensor, y: Tensor, *, both: bool) -> float:
    """Return the mean of a score over labels; over those with graphs of both kinds, if `both`."""
    scores = []
    for column, target in zip(predicted.unbind(1), y.unbind(1), strict=True):
        known = ~target.isnan()
        labels = target[known].long()
        if labels.numel() and not (both and labels.unique().numel() < 2):
            scores.append(score(column[known], labels))
    if not scores:
        what = "no label has graphs with and without it" if both else "no label is known"
        raise SmixupError(f"{what} in this split; use another split or seed.")
    return fmean(scores)


def _over_values(score: Score, predicted: Tensor, y: Tensor) -> float:
    """Return the mean of a score over quantities."""
    scores = []
    for column, target in zip(predicted.double().unbind(1), y.double().unbind(1), strict=True):
        known = ~target.isnan()
        if known.any():
            scores.append(score(column[known], target[known]))
    if not scores:
        raise SmixupError("no value is known in this split; use another split or seed.")
    return fmean(scores)


def _of_labels(score: Score, both: bool = False) -> Score:
    return partial(_over_labels, score, both=both)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", _of_labels(_right_of_one), accuracy),
        Metric("balanced-accuracy", _of_labels(_balanced_of_one), balanced_accuracy),
        Metric("rocauc", _of_labels(_rocauc_of_one, both=True), rocauc),
        Metric("ap", _of_labels(_precision_of_one, both=True), average_precision),
        Metric("mae", partial(_over_values, _mean_absolute_error), higher=False),
        Metric("rmse", partial(_over_values, _root_mean_squared_error), higher=False),
        Metric("r2", partial(_over_values, _explained_variance)),
    )
}


def metric_named(name: str) -> Metric:
    """Return a metric by its name."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]
