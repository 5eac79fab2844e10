"""The corrected resampled t of Nadeau and Bengio (2003), for splits that share training graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from smixup.app.evidence.estimate import Estimate
from smixup.errors import UsageError, require_number


def resampled_t(differences: Sequence[float] | np.ndarray, test_over_train: float) -> Estimate:
    """Return the mean of one difference per training, with an interval that allows for overlap.

    Random splits of one dataset share most of their training graphs, so their scores are alike and
    s^2 / J is too small. The correction takes their correlation to be the share of test graphs,
    n_test / (n_train + n_test): var = s^2 (1/J + n_test/n_train). Where it is, coverage is exact;
    where splits are less alike it is conservative: it covers 98 to 100 % if trainings are
    independent. It never falls below s^2 n_test/n_train, however many splits are run.

    It is made for test sets smaller than training sets. In few-label splits, which test on many
    times the graphs that they train on, it is so wide that it says nothing.

    Args:
        differences: [J] of the scores of two methods, one per training.
        test_over_train: n_test/n_train, 1/9 for ten folds.
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise UsageError("differences must be finite numbers, one per training, and not none.")
    require_number("test_over_train", test_over_train, above=0)
    J, mean = len(values), float(values.mean())
    if J == 1:
        return Estimate.unknown(mean, 1)
    variance = float(values.var(ddof=1)) * (1 / J + test_over_train)
    return Estimate.student(mean, math.sqrt(variance), J - 1, J)
