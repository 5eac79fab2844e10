"""The paired difference by graph: new graphs and new trainings, both at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.two_way_variance import two_way_variance
from smixup.errors import UsageError, require


def paired_graphs(differences: np.ndarray, clusters: Iterable[Hashable]) -> Estimate:
    """Return the mean difference over all tested graphs, with Student's interval.

    The error has two sources that do not average out together: other graphs might have been tested,
    and other splits drawn. The standard error is the unbiased two-way one (`two_way_variance`),
    Student's quantiles are at its own degrees of freedom: those of the splits where these matter
    most, more where graphs do.

    The interval is for graphs like these, by classifiers trained on splits *of this dataset*. That
    all splits draw their training graphs from one set is not in it: `resampled_t` is more careful
    there, and only other datasets tell (`random_effects`).

    Example: five folds, three repeats, two initialisations each are 30 trainings in 15 clusters.

        clusters = [(fold, repeat) for fold, repeat, initialisation in trainings]
        paired_graphs(correct - correct_of_vanilla, clusters)

    Args:
        differences: [T, G] for each training and graph, nan where the graph was not tested.
        clusters: [T] what trainings share: fold and repeat, or the seed of a few-label split.
    """
    return of_cells(*cells_of(differences, clusters))


def of_cells(sums: np.ndarray, counts: np.ndarray) -> Estimate:
    """Return the same of what `cells_of` returns."""
    mean = float(sums.sum() / counts.sum())
    if min(counts.shape) < 2:
        return Estimate.unknown(mean, len(counts))
    error = two_way_variance(sums, counts)
    return Estimate.student(mean, math.sqrt(error.variance), error.df, len(counts))


def cells_of(
    differences: np.ndarray, clusters: Iterable[Hashable]
) -> tuple[np.ndarray, np.ndarray]:
    """Sum differences by cluster and graph.

    Returns:
        [C, G] sums and counts, of the clusters and graphs in which anything was tested.
    """
    values = np.asarray(differences, dtype=float)
    require(values.ndim == 2, "differences", f"of shape {values.shape}", "[trainings, graphs]")
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(each, len(numbers)) for each in clusters]
    if len(rows) != len(values):
        raise UsageError(f"{len(values)} trainings need as many clusters, not {len(rows)}.")
    if np.isinf(values).any():
        raise UsageError("differences must be finite, or nan where a graph was not tested.")
    tested = ~np.isnan(values)
    if not tested.any():
        raise UsageError("a difference by graph needs one tested graph at least.")
    members = np.zeros((len(numbers), len(rows)))
    members[rows, np.arange(len(rows))] = 1
    sums, counts = members @ np.where(tested, values, 0.0), members @ tested
    kept = np.ix_(counts.any(1), counts.any(0))
    return sums[kept], counts[kept]
