"""Holm's p values: many cells, one chance of 5 % to be wrong in any of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smixup.errors import UsageError


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Adjust the p values of the cells of a table.

    Of m values, sorted upwards, the i-th (from zero) is multiplied by m - i, and none is smaller
    than the one before. Cells below 0.05 after that are all right at once with a chance of 95 %,
    however they depend on each other.

    Args:
        p: of any shape; nan for a cell without a test, which does not count among the m and stays
            nan.
    """
    given = np.asarray(p, dtype=float)
    tested = ~np.isnan(given)
    values = given[tested]
    if ((values < 0) | (values > 1)).any():
        raise UsageError("p values must lie between 0 and 1, or be nan where nothing was tested.")
    order = np.argsort(values, kind="stable")
    raised = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    result = np.full(given.shape, np.nan)
    result[tested] = adjusted
    return result
