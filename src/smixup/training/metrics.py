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
from statistics import fmean

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.tasks import Task

Score = Callable[[Tensor, Tensor], float]
CALIBRATION_BINS = 15
DIGITS = 6  # of an accuracy, which comes in single precision


@dataclass(frozen=True)
class Metric:
    """A score of predictions: `of_columns` takes these and targets `[G, T]`, in which NaN is not
    known, `of_classes` probabilities `[G, C]` and class numbers `[G]`.
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


def metric_named(name: str) -> Metric:
    """Return a metric by its name."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]


def accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs whose most likely class `[G, C]` is their label `[G]`."""
    return round(float((probabilities.argmax(1) == labels).float().mean()), DIGITS)


def balanced_accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs that are right, averaged over the classes that occur."""
    right = probabilities.argmax(1) == labels
    return fmean(float(right[labels == label].double().mean()) for label in labels.unique())


def calibration_error(probabilities: Tensor, labels: Tensor) -> float:
    """Return the expected calibration error, in equal bins of confidence."""
    confidence, likely = probabilities.double().max(1)
    bins = torch.bucketize(confidence, torch.linspace(0, 1, CALIBRATION_BINS + 1), right=True)
    gaps = confidence.new_zeros(CALIBRATION_BINS + 2)
    gaps.index_add_(0, bins, (likely == labels).double() - confidence)
    return float(gaps.abs().sum()) / len(labels)


def _area(scores: Tensor, y: Tensor) -> float:
    """Return the area under the ROC curve: the share of pairs with and without y in order."""
    _, place, counts = scores.unique(return_inverse=True, return_counts=True)
    rank = (counts.cumsum(0) - (counts - 1) / 2).double()[place]
    positive = int(y.sum())
    above = float(rank[y.bool()].sum()) - positive * (positive + 1) / 2
    return above / (positive * (len(y) - positive))


def _precision(scores: Tensor, y: Tensor) -> float:
    """Return the mean, over the graphs with y, of the precision down to their score."""
    _, place, counts = (-scores).unique(return_inverse=True, return_counts=True)
    hits = torch.zeros(len(counts), dtype=torch.double, device=scores.device)
    hits.index_add_(0, place, y.double())
    return float((hits * hits.cumsum(0) / counts.cumsum(0)).sum() / hits.sum())


def _explained_variance(values: Tensor, y: Tensor) -> float:
    """Return R2; 0 where there is no variance to explain."""
    spread = float((y - y.mean()).square().sum())
    return 1.0 - float((values - y).square().sum()) / spread if spread > 0 else 0.0


def _over_classes(score: Score, name: str, of_two: slice = slice(None)) -> Score:
    """Return the mean over classes of a score of one column; of two classes, of a part of them."""

    def mean(probabilities: Tensor, labels: Tensor) -> float:
        number = probabilities.size(1)
        if labels.unique().numel() < number:
            raise SmixupError(
                f"{name} needs graphs of every class in each split; use another split or seed."
            )
        classes = range(number)[of_two] if number == 2 else range(number)
        return fmean(score(probabilities[:, each], labels == each) for each in classes)

    return mean


def _over_columns(score: Score, kinds: int = 1) -> Score:
    """Return the mean of a score over the columns that have so many kinds of known targets."""

    def mean(predicted: Tensor, y: Tensor) -> float:
        scores = []
        for column, target in zip(predicted.unbind(1), y.unbind(1), strict=True):
            known = ~target.isnan()
            if target[known].unique().numel() >= kinds:
                scores.append(score(column[known], target[known]))
        if not scores:
            lacking = "no label has graphs with and without it" if kinds == 2 else "none is known"
            raise SmixupError(f"of targets in this split {lacking}; use another split or seed.")
        return fmean(scores)

    return mean


def _of_values(score: Score) -> Score:
    return _over_columns(lambda values, y: score(values.double(), y.double()))


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "accuracy",
            _over_columns(lambda p, y: float(((p > 0.5) == y.bool()).double().mean())),
            accuracy,
        ),
        Metric(
            "balanced-accuracy",
            _over_columns(lambda p, y: balanced_accuracy(torch.stack([1 - p, p], 1), y.long())),
            balanced_accuracy,
        ),
        Metric("rocauc", _over_columns(_area, kinds=2), _over_classes(_area, "ROC-AUC")),
        Metric(
            "ap",
            _over_columns(_precision, kinds=2),
            _over_classes(_precision, "average precision", of_two=slice(1, None)),
        ),
        Metric("mae", _of_values(lambda v, y: float((v - y).abs().mean())), higher=False),
        Metric("rmse", _of_values(lambda v, y: math.sqrt(F.mse_loss(v, y))), higher=False),
        Metric("r2", _of_values(_explained_variance)),
    )
}
