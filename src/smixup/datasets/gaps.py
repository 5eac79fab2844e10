"""Publishers' tables of numbers in which some cells are empty, as not every target is known."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError

EMPTY = re.compile(r"(?m)^(?=,|\r?$)|(?<=,)(?=,|\r?$)")
"""Where a cell has nothing in it."""


def read_with_gaps(path: Path) -> NDArray[np.float64]:
    """Read a table of numbers `[rows, columns]` that are parted by commas, gzipped; NaN where a
    cell is empty.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            text = file.read()
        filled = EMPTY.sub("nan", text.removesuffix("\n").removesuffix("\r")) if text else ""
        found: NDArray[np.float64] = np.loadtxt(
            io.StringIO(filled), delimiter=",", comments=None, ndmin=2
        )
    except (OSError, EOFError, ValueError, zlib.error) as reason:
        told = str(reason).rstrip(".").splitlines()[0]
        raise SmixupError(f"{path.name} cannot be read: {told}.") from reason
    if np.isinf(found).any():
        raise SmixupError(f"{path.name} holds numbers that are not finite.")
    return found
