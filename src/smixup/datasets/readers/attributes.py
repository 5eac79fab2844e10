"""Attributes of nodes and edges as columns of features.

Numbers become one column; text becomes a column for each of its values and one, the last, for
values that were not there when the columns were learned. What was learned is plain values, for
`Reading.vocabulary`: `{"size": None, "colour": ["blue", "red"]}` are 1 + 3 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.errors import SmixupError

MOST = 1000
"""A text attribute with more values than this names things, rather than telling their kind."""

Vocabulary: TypeAlias = Mapping[str, Sequence[str] | None]
Where: TypeAlias = Callable[[int], str]
"""Tells of a row where it stands, for errors."""


@dataclass(frozen=True)
class Column:
    """One attribute of many nodes or edges.

    Attributes:
        numbers: `[m]`, or empty where the attribute is text.
        codes: `[m]`, places in `values`; empty where the attribute is a number.
        values: the texts that occur, each once.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int64]
    values: tuple[str, ...] = ()
    is_text: bool = False

    @classmethod
    def of_numbers(cls, numbers: NDArray[Any]) -> Column:
        """Return a column of numbers."""
        return cls(numbers.astype(np.float64), np.zeros(0, np.int64))

    @classmethod
    def of_texts(cls, codes: NDArray[Any], values: Sequence[str]) -> Column:
        """Return a column of texts."""
        return cls(np.zeros(0), codes.astype(np.int64), tuple(values), is_text=True)

    def as_text(self) -> Column:
        """Return numbers as text, as they are where they name categories."""
        if self.is_text:
            return self
        values, codes = np.unique(self.numbers, return_inverse=True)
        return Column.of_texts(codes, [_spelled(float(value)) for value in values])


def column_of(name: str, cells: Sequence[Any], where: Where, as_category: bool = False) -> Column:
    """Return an attribute that is given cell by cell, numbers and truth values or text.

    Args:
        name: of the attribute.
        cells: its values; None where there is none, which is an error.
        where: of each.
        as_category: whether numbers, too, are names of categories.
    """
    for row, cell in enumerate(cells):
        if cell is None:
            raise SmixupError(
                f"the attribute '{name}' is missing at {where(row)}: give it to all, or name it in "
                "the option ignore."
            )
    if as_category:
        cells = [_spelled(float(cell)) if isinstance(cell, Real) else cell for cell in cells]
    are_text = [isinstance(cell, str) for cell in cells]
    if not any(are_text):
        return Column.of_numbers(_numbers_of(name, cells, where))
    if not all(are_text):
        row = are_text.index(not are_text[0])
        raise SmixupError(
            f"the attribute '{name}' is {cells[row]!r} at {where(row)}, but {cells[0]!r} at "
            f"{where(0)}: write numbers or text alone, or name it in the option categories."
        )
    place: dict[str, int] = {}
    codes = [place.setdefault(cell, len(place)) for cell in cells]
    return Column.of_texts(np.array(codes, np.int64), list(place))


def learn(columns: Mapping[str, Column], categories: Collection[str] = ()) -> dict[str, Any]:
    """Return what features attributes become: None is a number, a list the values of a category."""
    found: dict[str, Any] = {}
    for name in sorted(columns):
        column = columns[name].as_text() if name in categories else columns[name]
        if len(column.values) > MOST:
            raise SmixupError(
                f"the attribute '{name}' has {len(column.values)} different texts, such as "
                f"'{column.values[0]}', too many to be categories: name it in the option ignore."
            )
        found[name] = sorted(column.values) if column.is_text else None
    return found


def width(vocabulary: Vocabulary) -> int:
    """Return how many columns of features there are."""
    return sum(1 if values is None else len(values) + 1 for values in vocabulary.values())


def encode(
    columns: Mapping[str, Column], vocabulary: Vocabulary, rows: int, where: Where
) -> tuple[Tensor, dict[str, int]]:
    """Return attributes as features `[rows, width]`, and of each category how many values were not
    known. Where all are categories, features are bytes.

    Args:
        columns: by name; all that were learned must be there.
        vocabulary: what `learn` returned.
        rows: how many there are.
        where: of each row.
    """
    parts: list[Tensor] = []
    unknown: dict[str, int] = {}
    for name, values in vocabulary.items():
        column = columns.get(name)
        if column is None:
            raise SmixupError(
                f"the attribute '{name}' is missing, which the files read before have."
            )
        if values is None:
            parts.append(_numbers(name, column, where).unsqueeze(1))
        else:
            part, odd = _one_hot(column.as_text(), values)
            parts.append(part)
            unknown |= {name: odd} if odd else {}
    if not parts:
        return torch.zeros(rows, 0), unknown
    bytes_ = all(part.dtype == torch.uint8 for part in parts)
    return torch.cat(parts if bytes_ else [part.float() for part in parts], 1), unknown


def _numbers(name: str, column: Column, where: Where) -> Tensor:
    if column.is_text:
        raise SmixupError(
            f"the attribute '{name}' is text ('{column.values[0]}') at "
            f"{where(0)}, where a number is needed."
        )
    found = torch.from_numpy(column.numbers).float()
    if len(odd := (~found.isfinite()).nonzero()):
        row = int(odd[0])
        raise SmixupError(
            f"the attribute '{name}' is {column.numbers[row]} at {where(row)}, where a finite "
            "number is needed."
        )
    return found


def _one_hot(column: Column, values: Sequence[str]) -> tuple[Tensor, int]:
    place = {value: index for index, value in enumerate(values)}
    places = np.array([place.get(value, len(values)) for value in column.values], np.int64)
    codes = torch.from_numpy(places[column.codes] if len(column.codes) else column.codes)
    found = torch.zeros(len(codes), len(values) + 1, dtype=torch.uint8)
    return found.scatter_(1, codes.unsqueeze(1), 1), int((codes == len(values)).sum())


def _numbers_of(name: str, cells: Sequence[Any], where: Where) -> NDArray[np.float64]:
    for row, cell in enumerate(cells):
        if not isinstance(cell, Real):
            raise SmixupError(
                f"the attribute '{name}' is {str(cell)[:40]!r} at {where(row)}, which is neither a "
                "number nor text."
            )
    return np.array([float(cell) for cell in cells], np.float64)


def _spelled(number: float) -> str:
    return str(int(number)) if number.is_integer() else str(number)
