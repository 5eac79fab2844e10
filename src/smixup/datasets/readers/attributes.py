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

from smixup.datasets.readers.assembly import one_hot_columns
from smixup.errors import SmixupError

MOST = 1000
"""A text attribute with more values than this names things, rather than telling their kind."""
NODES, EDGES = "nodes", "edges"  # where a `Reading.vocabulary` keeps what their attributes become

Vocabulary: TypeAlias = Mapping[str, Sequence[str] | None]
Where: TypeAlias = Callable[[int], str]
"""Tells of a row where it stands, for errors."""


@dataclass(frozen=True)
class Column:
    """One attribute of many nodes or edges.

    Attributes:
        cells: `[m]`, numbers, or places in `texts`.
        texts: the texts that occur, each once; None where the attribute is a number.
    """

    cells: NDArray[Any]
    texts: Sequence[str] | None = None

    def as_text(self) -> Column:
        """Return numbers as text, as they are where they name categories."""
        if self.texts is not None:
            return self
        values, codes = np.unique(self.cells, return_inverse=True)
        return Column(codes, [_spelled(value) for value in values])


@dataclass(frozen=True)
class Attributes:
    """Attributes of nodes or edges, by name; how many rows there are, and where each stands."""

    columns: dict[str, Column]
    rows: int
    where: Where


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
        if not isinstance(cell, str | Real):
            raise SmixupError(
                f"the attribute '{name}' is {str(cell)[:40]!r} at {where(row)}, which is neither a "
                "number nor text."
            )
    if as_category:
        cells = [cell if isinstance(cell, str) else _spelled(cell) for cell in cells]
    are_text = [isinstance(cell, str) for cell in cells]
    if any(are_text) and not all(are_text):
        row = are_text.index(not are_text[0])
        raise SmixupError(
            f"the attribute '{name}' is {cells[row]!r} at {where(row)}, but {cells[0]!r} at "
            f"{where(0)}: write numbers or text alone, or name it in the option categories."
        )
    if not any(are_text):
        return Column(np.array(cells, np.float64))
    place: dict[str, int] = {}
    codes = [place.setdefault(cell, len(place)) for cell in cells]
    return Column(np.array(codes, np.int64), list(place))


def learn(columns: Mapping[str, Column], categories: Collection[str] = ()) -> dict[str, Any]:
    """Return what features attributes become: None is a number, a list the values of a category."""
    vocabulary: dict[str, Any] = {}
    for name in sorted(columns):
        texts = (columns[name].as_text() if name in categories else columns[name]).texts
        if texts and len(texts) > MOST:
            raise SmixupError(
                f"the attribute '{name}' has {len(texts)} different texts, such as '{texts[0]}', "
                "too many to be categories: name it in the option ignore."
            )
        vocabulary[name] = None if texts is None else sorted(texts)
    return vocabulary


def encode(
    attributes: Attributes, vocabulary: Vocabulary, what: str = NODES
) -> tuple[Tensor, list[str]]:
    """Return attributes as features `[rows, width]`, bytes where all are categories, and sentences
    on what is not among what was learned.

    Args:
        attributes: all that were learned must be there.
        vocabulary: what `learn` returned.
        what: they are of.
    """
    columns, where = attributes.columns, attributes.where
    parts: list[Tensor] = []
    notes = [
        f"the attribute '{name}' of {what} is left out: the files read before have none."
        for name in columns
        if name not in vocabulary
    ]
    for name, values in vocabulary.items():
        if name not in columns:
            raise SmixupError(
                f"the attribute '{name}' is missing, which the files read before have."
            )
        if values is None:
            parts.append(numbers_of(name, columns[name], where).unsqueeze(1))
            continue
        column = columns[name].as_text()
        place = {value: index for index, value in enumerate(values)}
        places = [place.get(text, len(values)) for text in column.texts or ()]
        codes = np.array(places, np.int64)[column.cells.astype(np.int64)]
        parts.append(one_hot_columns(codes[:, None], [len(values) + 1]))
        if unknown := int((codes == len(values)).sum()):
            notes.append(
                f"{unknown:,} of the {what} {'has' if unknown == 1 else 'have'} a '{name}' that "
                "was not there when features were learned: it is taken for 'other'."
            )
    if not parts:
        return torch.zeros(attributes.rows, 0), notes
    all_bytes = all(part.dtype == torch.uint8 for part in parts)
    return torch.cat(parts if all_bytes else [part.float() for part in parts], 1), notes


def numbers_of(name: str, column: Column, where: Where) -> Tensor:
    """Return an attribute that must be numbers, finite in single precision."""
    if column.texts is not None:
        raise SmixupError(
            f"the attribute '{name}' is text ('{column.texts[0]}') at {where(0)}, where a number "
            "is needed."
        )
    numbers = torch.from_numpy(column.cells).float()
    if len(odd := (~numbers.isfinite()).nonzero()):
        row = int(odd[0])
        raise SmixupError(
            f"the attribute '{name}' is {column.cells[row]} at {where(row)}, where a finite number "
            "is needed."
        )
    return numbers


def encode_both(
    nodes: Attributes,
    edges: Attributes,
    vocabulary: Mapping[str, Vocabulary] | None,
    categories: Collection[str],
) -> tuple[Tensor, Tensor, dict[str, Any], list[str]]:
    """Return features of nodes and of edges, the vocabulary of both, which is learned unless there
    is one, and what to tell.
    """
    if vocabulary is None:
        vocabulary = {
            NODES: learn(nodes.columns, categories),
            EDGES: learn(edges.columns, categories),
        }
    x, notes = encode(nodes, vocabulary[NODES], NODES)
    edge_attr, further = encode(edges, vocabulary[EDGES], EDGES)
    known = {what: dict(vocabulary[what]) for what in (NODES, EDGES)}
    return x, edge_attr, known, notes + further


def _spelled(number: Any) -> str:
    number = float(number)
    return str(int(number)) if number.is_integer() else str(number)
