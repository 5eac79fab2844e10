"""Publishers' tables of numbers in which some cells are empty, as not every target is known."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.bounds import require_numbers
from smixup.datasets.text_streams import opened_text
from smixup.datasets.text_tables import require_finite, unreadable_numbers

EMPTY = re.compile(r"(?m)^(?=,|\r?$)|(?<=,)(?=,|\r?$)")
"""Where a cell has nothing in it."""


def read_with_gaps(path: Path) -> NDArray[np.float64]:
    """Read a table of numbers `[rows, columns]` that are parted by commas, gzipped; NaN where a
    cell is empty.
    """
    require_numbers(path)
    try:
        with opened_text(path) as file:
            text = file.read()
        filled = EMPTY.sub("nan", text.removesuffix("\n").removesuffix("\r")) if text else ""
        found: NDArray[np.float64] = np.loadtxt(
            io.StringIO(filled), delimiter=",", comments=None, ndmin=2
        )
    except ValueError as reason:  # a cell that is no number, or bytes that are no UTF-8
        raise unreadable_numbers(path, reason) from reason
    require_finite(found, path, gaps=True)
    return found
