"""Attributes of nodes and edges as columns of features.

Numbers become one column; text becomes a column for each of its values and one, the last, for
values that were not there when the columns were learned. What was learned is plain values, for
`Reading.vocabulary`: `{"size": None, "colour": ["blue", "red"]}` are 1 + 3 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from smixup.datasets.readers.assembly import one_hot_columns
from smixup.errors import SmixupError, shown
from smixup.ranges import number_of

MOST = 1000
"""A text attribute with more values than this names things, rather than telling their kind."""
NODES, EDGES = "nodes", "edges"  # where a `Reading.vocabulary` keeps what their attributes become

Vocabulary: TypeAlias = Mapping[str, Sequence[str] | None]
Where: TypeAlias = Callable[[int], str]
"""Tells of a row where it stands, for errors."""


@dataclass(frozen=True)
class Attributes:
    """Attributes of nodes or edges.

    Attributes:
        columns: by name, without gaps; numbers are finite doubles, categories are text.
        rows: how many there are.
        where: of each row.
    """

    columns: dict[str, pa.Array]
    rows: int
    where: Where


def is_text(array: Any) -> bool:
    """Tell whether cells are text, and not numbers or anything else."""
    return bool(pa.types.is_string(array.type) or pa.types.is_large_string(array.type))


def is_number(array: Any) -> bool:
    """Tell whether cells are numbers or truth values."""
    kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    return any(is_kind(array.type) for is_kind in kinds)


def filled(name: str, array: Any, where: Where) -> pa.Array:
    """Return a column in one piece; a gap is refused."""
    if (row := pc.index(pc.is_null(array, nan_is_null=True), True).as_py()) >= 0:
        raise SmixupError(
            f"'{name}' is missing at {where(row)}: give it to all, or name it in the option ignore."
        )
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def as_texts(array: pa.Array) -> pa.Array:
    """Return a column as text; 1.0 is the text that 1 is."""
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    try:
        return array.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.array([str(cell) for cell in array.to_pylist()], pa.large_string())


def as_numbers(name: str, array: pa.Array, where: Where) -> pa.Array:
    """Return a column as numbers that are finite in single precision; others are refused."""
    numbers = _parsed(array) if is_text(array) else array.cast(pa.float64(), safe=False)
    with np.errstate(over="ignore"):
        single = numbers.to_numpy(zero_copy_only=False).astype(np.float32)
    if len(odd := np.flatnonzero(~np.isfinite(single))):
        raise SmixupError(
            f"'{name}' is '{shown(array[odd[0]])}' at {where(int(odd[0]))}, where a finite number "
            "is needed: mend it, or name it in the option categories if it is text."
        )
    return numbers


def as_seen(name: str, array: pa.Array, where: Where) -> pa.Array:
    """Return text as numbers if most cells are numbers. Nothing is guessed: another cell among
    them, with which all would be categories, is refused.
    """
    if is_number(array) or (is_text(array) and 2 * _parsed(array).null_count < max(len(array), 1)):
        return as_numbers(name, array, where)
    return as_texts(array)


def _parsed(texts: pa.Array) -> pa.Array:
    """Return the numbers that texts spell, null where they spell none."""
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid:
        encoded = texts.dictionary_encode()
        spelled = encoded.dictionary.to_pylist()
        numbers = [number_of(text) if text.isascii() else None for text in spelled]
        return pa.array(numbers, pa.float64()).take(encoded.indices)


def learn(columns: Mapping[str, pa.Array], categories: Collection[str] = ()) -> dict[str, Any]:
    """Return what features attributes become: None is a number, a list the values of a category."""
    vocabulary: dict[str, Any] = {}
    for name in sorted(columns):
        if not is_text(columns[name]) and name not in categories:
            vocabulary[name] = None
            continue
        texts = as_texts(columns[name]).unique().to_pylist()
        if len(texts) > MOST:
            raise SmixupError(
                f"the attribute '{name}' has {len(texts)} different texts, such as "
                f"'{shown(texts[0])}', too many to be categories: name it in the option ignore."
            )
        vocabulary[name] = sorted(texts)
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
    parts: list[Tensor] = []
    notes = [
        f"the attribute '{name}' of {what} is left out: the files read before have none."
        for name in attributes.columns
        if name not in vocabulary
    ]
    for name, values in vocabulary.items():
        column = attributes.columns.get(name)
        if column is None:
            raise SmixupError(
                f"the attribute '{name}' is missing, which the files read before have."
            )
        if values is None:
            parts.append(numbers_of(name, column, attributes.where).unsqueeze(1))
            continue
        places = pc.index_in(as_texts(column), pa.array(values, pa.large_string()))
        codes = places.fill_null(len(values)).to_numpy()
        parts.append(one_hot_columns(codes[:, None], [len(values) + 1]))
        if unknown := places.null_count:
            notes.append(
                f"{unknown:,} of the {what} {'has' if unknown == 1 else 'have'} a '{name}' that "
                "was not there when features were learned: it is taken for 'other'."
            )
    if not parts:
        return torch.zeros(attributes.rows, 0), notes
    all_bytes = all(part.dtype == torch.uint8 for part in parts)
    return torch.cat(parts if all_bytes else [part.float() for part in parts], 1), notes


def numbers_of(name: str, column: pa.Array, where: Where) -> Tensor:
    """Return a column that must be numbers, `[rows]`."""
    if is_text(column) and len(column):
        raise SmixupError(
            f"'{name}' is text ('{shown(column[0])}') at {where(0)}, where a number is needed."
        )
    return torch.from_numpy(column.to_numpy(zero_copy_only=False).astype(np.float32))


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
            what: learn(own.columns, categories) for what, own in ((NODES, nodes), (EDGES, edges))
        }
    x, notes = encode(nodes, vocabulary[NODES], NODES)
    edge_attr, further = encode(edges, vocabulary[EDGES], EDGES)
    known = {what: dict(vocabulary[what]) for what in (NODES, EDGES)}
    return x, edge_attr, known, notes + further
