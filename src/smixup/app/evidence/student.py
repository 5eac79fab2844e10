"""Student's distribution: the functions behind `scipy.stats.t`, to the bit, without its checks,
which take fifty times as long.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from scipy.special import stdtr, stdtrit


@overload
def quantile(level: float, df: float) -> float: ...
@overload
def quantile(level: np.ndarray, df: float) -> np.ndarray: ...
def quantile(level: float | np.ndarray, df: float) -> float | np.ndarray:
    """Return what a value stays below with a chance of `level`: `quantile(0.975, 4)` is 2.776.

    Args:
        level: between zero and one.
        df: degrees of freedom; infinitely many are the normal distribution.
    """
    found = stdtrit(df, level)
    return found if isinstance(level, np.ndarray) else float(found)


def tail(value: float, df: float) -> float:
    """Return the chance to lie above a value: `tail(2.776, 4)` is 0.025."""
    return float(stdtr(df, -value))
