"""Large tables on their way into memory: blocks of rows, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bytes_]
Block = tuple[int, dict[str, NDArray[Any]]]
"""The number of its first row, and its cells by the name of their column."""
Kinds = dict[str, bool | None]
"""By column, whether it holds numbers; None is seen from its first block."""
