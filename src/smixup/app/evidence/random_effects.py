"""One estimate over datasets, each of which has an effect of its own (random effects)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from smixup.app.evidence.estimate import CONFIDENCE, Estimate
from smixup.app.evidence.student import quantile
from smixup.errors import UsageError


@dataclass(frozen=True)
class Pooled:
    """The mean effect over datasets like these.

    Attributes:
        estimate: the mean with its interval.
        tau: the standard deviation of true effects between datasets.
        i_squared: the share of the spread between estimates that is not their own error, 0 to 1.
        predicted_low, predicted_high: between these the true effect on a new dataset lies with a
            chance of 95 % (about 94 % in simulations); infinite below three datasets.
        weights: [k] of the datasets in the mean; their sum is one.
    """

    estimate: Estimate
    tau: float
    i_squared: float
    predicted_low: float
    predicted_high: float
    weights: np.ndarray


def random_effects(
    means: Sequence[float] | np.ndarray, errors: Sequence[float] | np.ndarray
) -> Pooled:
    """Pool one estimate per dataset.

    True effects vary between datasets by tau, which is Paule and Mandel's: with weights w = 1 /
    (se^2 + tau^2), the weighted squares about the mean add up to k - 1, as they should on average;
    zero if they are fewer even so. The interval is that of Hartung, Knapp, Sidik and Jonkman:
    Student's at k - 1, the variance 1 / sum(w) times the mean weighted square, and, the usual
    safeguard, not times less than one. It covers 95 % if datasets differ, more if their effects are
    all the same.

    Datasets must be independent: average the backbones of a dataset first.

    Args:
        means: [k] estimates.
        errors: [k] their standard errors.
    """
    y, se = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    if y.ndim != 1 or y.shape != se.shape or not len(y):
        raise UsageError(
            "pooling needs one mean and one standard error per dataset, not arrays of shape "
            f"{y.shape} and {se.shape}."
        )
    if not (np.isfinite(y).all() and np.isfinite(se).all() and (se > 0).all()):
        raise UsageError(
            "pooling needs finite means and standard errors above zero: leave out datasets without."
        )
    k, variances = len(y), se**2
    if k == 1:
        inf = math.inf
        return Pooled(Estimate.unknown(float(y[0]), 1), math.nan, math.nan, -inf, inf, np.ones(1))
    tau_squared = _paule_mandel(y, variances)
    w = 1 / (variances + tau_squared)
    mean = float(w @ y / w.sum())
    square = float(w @ (y - mean) ** 2) / (k - 1)
    estimate = Estimate.student(mean, math.sqrt(max(1.0, square) / w.sum()), k - 1, k)
    own = 1 / variances
    # The sum squared less the sum of squares, without taking one large number from another.
    products = np.outer(own, own)[~np.eye(k, dtype=bool)].sum()
    typical = (k - 1) * own.sum() / products
    half = math.inf
    if k > 2:
        half = quantile((1 + CONFIDENCE) / 2, k - 2) * math.sqrt(tau_squared + estimate.se**2)
    return Pooled(
        estimate=estimate,
        tau=math.sqrt(tau_squared),
        i_squared=tau_squared / (tau_squared + typical),
        predicted_low=mean - half,
        predicted_high=mean + half,
        weights=w / w.sum(),
    )


def _paule_mandel(y: np.ndarray, variances: np.ndarray) -> float:
    """Return the tau^2 at which the weighted squares about the mean are k - 1."""

    def excess(tau_squared: float) -> float:
        w = 1 / (variances + tau_squared)
        return float(w @ (y - w @ y / w.sum()) ** 2) - (len(y) - 1)

    if excess(0.0) <= 0:
        return 0.0
    # There no weight exceeds (k - 1) / sum of squares, and the mean minimises the weighted squares.
    most = float(((y - y.mean()) ** 2).sum()) / (len(y) - 1)
    if excess(most) >= 0:  # errors that are next to nothing: it is there but for rounding
        return most
    return float(brentq(excess, 0.0, most, xtol=1e-15, rtol=1e-12))
