"""Tables with few cells."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix


def few_cells(n1: int, n2: int, share: float, seed: int, low: float = -3.0) -> csr_matrix:
    """Return a table of random numbers in random cells."""
    random = np.random.default_rng(seed)
    row, column = (random.random((n1, n2)) < share).nonzero()
    return csr_matrix((random.uniform(low, 3, len(row)), (row, column)), shape=(n1, n2))
