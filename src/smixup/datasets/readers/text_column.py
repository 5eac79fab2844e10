"""Columns of text, of which each value is kept once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Texts:
    """A column of text.

    Attributes:
        codes: `[m]`, places in `values`.
        values: the texts, each once, in order: whole numbers by size if all are, else by their
            letters.
    """

    codes: NDArray[np.int64]
    values: NDArray[Any]

    def text(self, place: int) -> str:
        """Return one of the values."""
        value = self.values[place]
        return value.decode("utf-8") if isinstance(value, bytes) else str(value)

    def texts(self) -> list[str]:
        """Return all values."""
        if self.values.dtype.kind == "S":
            return [value.decode("utf-8") for value in self.values.tolist()]
        return [str(value) for value in self.values.tolist()]


def factorise(cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct values of a column in order, and the place of each cell among them.

    Text is sorted as numbers, eight letters at a time, which is many times as fast.
    """
    if cells.dtype.kind != "S":
        values, codes = np.unique(cells, return_inverse=True)
        return values, codes.reshape(-1)
    words = -(-cells.dtype.itemsize // 8)
    padded = cells.astype(f"S{words * 8}")
    parts = padded.view(">u8").reshape(len(cells), words)
    codes = np.zeros(len(cells), np.int64)
    for place in range(words):
        _, part = np.unique(parts[:, place].astype(np.uint64), return_inverse=True)
        if place:
            part = codes * (int(part.max(initial=0)) + 1) + part.reshape(-1)
            _, part = np.unique(part, return_inverse=True)
        codes = part.reshape(-1)
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes] = np.arange(len(cells))
    return cells[first], codes
