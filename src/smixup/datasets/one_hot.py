"""Columns of categories as indicators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def one_hot_columns(values: NDArray[np.integer], widths: Sequence[int]) -> Tensor:
    """Return categories `[n, k]`, each 0 to below its column's width, one-hot in bytes: the places
    of the first column, then those of the second, and so on.

    >>> one_hot_columns(np.array([[1, 0]]), (3, 2))
    tensor([[0, 1, 0, 1, 0]], dtype=torch.uint8)
    """
    columns = torch.from_numpy(values.astype(np.int64) + np.cumsum((0, *widths[:-1])))
    return torch.zeros(len(values), sum(widths), dtype=torch.uint8).scatter_(1, columns, 1)
