"""Scores of predictions, from torchmetrics (imported at first use: it takes seconds)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from torch import Tensor

from smixup.errors import SmixupError, unknown_name
from smixup.optional import import_optional

Metric = Callable[[Tensor, Tensor], float]
CALIBRATION_BINS = 15
DIGITS = 6  # of an accuracy, which comes in single precision


def accuracy(probabilities: Tensor, labels: Tensor) -> float:
    """Return the share of graphs whose most likely class `[G, C]` is their label `[G]`."""
    classes = probabilities.size(1)
    share = _scores().multiclass_accuracy(
        probabilities, labels, classes, average="micro", validate_args=False
    )
    return round(float(share), DIGITS)


def rocauc(probabilities: Tensor, labels: Tensor) -> float:
    """Return the area under the ROC curve, averaged over classes (for two classes: the ordinary
    area).
    """
    classes = probabilities.size(1)
    if labels.unique().numel() < classes:
        raise SmixupError(
            "ROC-AUC needs graphs of every class in each split; use another split or seed."
        )
    return float(_scores().multiclass_auroc(probabilities, labels, classes, validate_args=False))


def calibration_error(probabilities: Tensor, labels: Tensor) -> float:
    """Return the expected calibration error: confidence against accuracy in equal bins of
    confidence.
    """
    classes = probabilities.size(1)
    error = _scores().multiclass_calibration_error(
        probabilities, labels, classes, CALIBRATION_BINS, "l1", validate_args=False
    )
    return float(error)


def _scores() -> ModuleType:
    return import_optional("torchmetrics.functional.classification", "torchmetrics", "lab")


METRICS: dict[str, Metric] = {"accuracy": accuracy, "rocauc": rocauc}


def metric_named(name: str) -> Metric:
    """Return a metric by its name."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]
