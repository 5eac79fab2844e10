"""The scores of a run that tables show."""

from __future__ import annotations

from dataclasses import dataclass

from smixup.training.metrics import metric_named


@dataclass(frozen=True)
class Score:
    """How a number of `RunResult` is shown.

    Attributes:
        title: above a table.
        percent: whether it is shown in percent.
        lower_is_better: as of a loss.
    """

    title: str
    percent: bool = True
    lower_is_better: bool = False

    @property
    def scale(self) -> float:
        """By what the number is multiplied."""
        return 100.0 if self.percent else 1.0

    @property
    def digits(self) -> int:
        """Digits behind the point."""
        return 2 if self.percent else 3


SCORES = {
    "test": Score("test score, %"),
    "validation": Score("validation score, %"),
    "accuracy": Score("test accuracy, %"),
    "rocauc": Score("area under the ROC curve, %"),
    "test_loss": Score("test loss", percent=False, lower_is_better=True),
    "brier": Score("Brier score", percent=False, lower_is_better=True),
    "calibration_error": Score("calibration error, %", lower_is_better=True),
    "scaled_loss": Score("test loss after scaling", percent=False, lower_is_better=True),
    "scaled_brier": Score("Brier score after scaling", percent=False, lower_is_better=True),
    "scaled_calibration_error": Score("calibration error after scaling, %", lower_is_better=True),
}
"""By field of `RunResult`, for runs that are scored by a share; *scaled* is after the temperature
that the validation split chose.
"""

OF_METRIC = ("test", "validation")
"""Those whose meaning is the metric of the run."""


def score_of(name: str, metric: str) -> Score:
    """Return how a number of runs that were scored by `metric` is shown. An error is not in
    percent: it has the units of the data, and the lower, the better.

    >>> score_of("test", "mae")
    Score(title='test mae', percent=False, lower_is_better=True)
    """
    found = metric_named(metric)
    if name not in OF_METRIC or found.is_share:
        return SCORES[name]
    return Score(f"{name} {metric}", percent=False, lower_is_better=not found.higher)


REPORTED = ("test", "test_loss", "calibration_error")
"""Those that a report shows."""
