"""A column of a large table, read block by block: as numbers, or as text."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.table_block import Cells
from smixup.datasets.readers.text_column import Texts, factorise
from smixup.errors import SmixupError
from smixup.numerals import number_of
from smixup.shown import shown

DIGITS = 18
"""Of whole numbers that are compared as such."""
TEXT = "name it in categories if it is text"


@dataclass
class GrowingColumn:
    """A column that is read block by block."""

    path: Path
    name: str
    is_number: bool | None
    numbers: list[NDArray[np.float64]] = field(default_factory=list)
    codes: list[NDArray[np.int32]] = field(default_factory=list)
    values: list[NDArray[Any]] = field(default_factory=list)

    def add(self, first: int, cells: NDArray[Any]) -> None:
        """Add cells, the first of which stands in row `first`."""
        if self.is_number is None:
            self.is_number = cells.dtype.kind != "S" or _as_numbers(cells) is not None
            if not self.is_number:
                self._require_texts(first, cells)
        if self.is_number:
            found = cells.astype(np.float64) if cells.dtype.kind != "S" else _as_numbers(cells)
            if found is None or not np.isfinite(found).all():
                raise self._no_number(first, cells)
            self.numbers.append(found)
            return
        if cells.dtype.kind == "S":
            whole = _as_whole(cells)
            cells = cells if whole is None else whole
        values, codes = factorise(cells)
        self.codes.append(codes.astype(np.int32))
        self.values.append(values)

    def finished(self) -> Texts | NDArray[np.float64]:
        """Return the whole column."""
        if self.is_number:
            return np.concatenate(self.numbers) if self.numbers else np.zeros(0)
        if not self.codes:
            return Texts(np.zeros(0, np.int64), np.zeros(0, "S1"))
        if len({each.dtype.kind for each in self.values}) > 1:
            self.values = [_spelled(each) for each in self.values]
        values, places = factorise(np.concatenate(self.values))
        codes = np.empty(sum(map(len, self.codes)), np.int64)
        row, first = 0, 0
        for part, each in zip(self.codes, self.values, strict=True):
            codes[row : row + len(part)] = places[first : first + len(each)][part]
            row, first = row + len(part), first + len(each)
        if values.dtype.kind == "S":
            _require_text(self.path, self.name, values)
        return Texts(codes, values)

    def _require_texts(self, first: int, cells: Cells) -> None:
        """Refuse a cell such as 1_0 among numbers, all of which would be categories with it. Empty
        cells are left to `require_filled`, which knows what the column is for.
        """
        values, codes = factorise(cells)
        numbers = np.array([_is_number(value) for value in values.tolist()], bool)
        odd = ~numbers & (values != b"")
        if odd.any() and 2 * int(numbers[codes].sum()) > len(cells):
            raise self._no_number(first, cells, f", as most others are: mend it, or {TEXT}")

    def _no_number(self, first: int, cells: NDArray[Any], hint: str = "") -> SmixupError:
        place = next(row for row, cell in enumerate(cells.tolist()) if not _is_number(cell))
        cell = cells[place]
        text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
        if self.numbers:
            hint = f", as those before are: {TEXT}"
        return SmixupError(
            f"'{shown(text)}' in row {first + place} of {self.path.name}, column '{self.name}', "
            f"is no finite number{hint}."
        )


def _is_number(cell: bytes | float) -> bool:
    if isinstance(cell, bytes) and not cell.isascii():  # nor does NumPy strip other spaces
        return False
    number = number_of(cell.decode("ascii")) if isinstance(cell, bytes) else cell
    return number is not None and math.isfinite(number)


def _as_numbers(cells: Cells) -> NDArray[np.float64] | None:
    """Return cells as numbers, None if any is none; 1_0 is a name, though Python reads it as 10."""
    if (np.ascontiguousarray(cells).view(np.uint8) == ord("_")).any():
        return None
    try:
        return cells.astype(np.float64)
    except ValueError:
        return None


def _as_whole(cells: Cells) -> NDArray[np.int64] | None:
    """Return whole numbers, None unless all cells are some that could be spelled in no other way
    (no sign, no zero before them).
    """
    width = cells.dtype.itemsize
    if width > DIGITS or not len(cells):
        return None
    letters = cells.view(np.uint8).reshape(len(cells), width)
    length = np.count_nonzero(letters, axis=1)
    found = np.zeros(len(cells), np.int64)
    for place in range(width):
        inside = length > place
        digit = letters[:, place].astype(np.int64) - ord("0")
        if ((digit < 0) | (digit > 9))[inside].any():
            return None
        found = np.where(inside, found * 10 + digit, found)
    odd = (length == 0) | ((letters[:, 0] == ord("0")) & (length > 1))
    return None if odd.any() else found


def _spelled(values: NDArray[Any]) -> Cells:
    return values if values.dtype.kind == "S" else values.astype("S20")


def _require_text(path: Path, name: str, values: Cells) -> None:
    try:
        b"\n".join(values.tolist()).decode("utf-8")
    except UnicodeDecodeError as reason:
        raise SmixupError(
            f"column '{name}' of {path.name} is not UTF-8: save it as UTF-8."
        ) from reason
