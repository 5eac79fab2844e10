"""Columns of a table, as Arrow has them, as numbers or as names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.attributes import Column
from smixup.datasets.readers.tables import is_parquet, texts_of
from smixup.errors import SmixupError
from smixup.shown import number_of, shown

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = re.compile("0|[1-9][0-9]{0,17}")

Integers = NDArray[np.int64]


def filled(path: Path, name: str, array: pa.ChunkedArray, less: str) -> pa.Array:
    """Return a column in one piece; an empty cell is refused, and `less` may be left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not is_parquet(path):
        array = pc.utf8_trim(array, " ")
    empty = pc.is_null(array, nan_is_null=True)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        empty = pc.or_(empty, pc.fill_null(pc.equal(array, ""), True))
    if (row := pc.index(empty, True).as_py()) >= 0:
        raise SmixupError(
            f"row {row + 1} of {path.name} has nothing in column '{name}': fill it in, or leave "
            f"{less}."
        )
    return array.combine_chunks()


def texts_in(path: Path, name: str, array: pa.Array) -> pa.Array:
    """Return a column as text, in which 1.0 names what 1 does where all numbers are whole."""
    import pyarrow as pa

    if pa.types.is_floating(array.type):
        try:
            array = array.cast(pa.int64())
        except pa.ArrowInvalid:
            return pa.array(texts_of(path, name, array), pa.large_string())
    plain = pa.types.is_integer, pa.types.is_string, pa.types.is_large_string
    if any(is_of(array.type) for is_of in plain):
        return array.cast(pa.large_string())
    return pa.array(texts_of(path, name, array), pa.large_string())


def numbers_in(path: Path, name: str, array: pa.Array, needed: bool) -> NDArray[np.float64] | None:
    """Return a column as finite numbers; None where most cells are text, unless they are needed.
    Nothing is guessed: a text among numbers, all of which would be categories with it, is refused.
    """
    import pyarrow as pa

    kind: Any = array.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        cells: NDArray[np.float64] = array.to_numpy(zero_copy_only=False).astype(np.float64)
    else:
        array = texts_in(path, name, array)
        try:
            cells = array.cast(pa.float64()).to_numpy().copy()
        except pa.ArrowInvalid:
            (codes,), texts = coded(array)
            numbers = [number_of(text) if text.isascii() else None for text in texts]
            are_numbers = np.array([number is not None for number in numbers])
            if not needed and 2 * are_numbers[codes].sum() <= len(codes):
                return None
            cells = np.array(numbers, np.float64)[codes]  # None is NaN
    if len(odd := np.flatnonzero(~np.isfinite(cells))):
        hint = ", as most others are: mend it, or name it in categories if it is text"
        raise SmixupError(
            f"'{shown(array[odd[0]])}' in row {odd[0] + 1} of {path.name}, column '{name}', is no "
            f"finite number{'' if needed else hint}."
        )
    return cells


def attribute(path: Path, name: str, array: pa.Array, is_category: bool) -> Column:
    """Return a column as an attribute, of numbers unless it holds text or names categories."""
    if not is_category and (cells := numbers_in(path, name, array, needed=False)) is not None:
        return Column(cells)
    (codes,), texts = coded(texts_in(path, name, array))
    return Column(codes, texts)


def coded(*columns: pa.Array) -> tuple[list[Integers], list[str]]:
    """Return columns of text as places in the texts of all of them, which stand in order: by size
    if all are whole numbers, else by their letters.
    """
    import pyarrow as pa

    encoded = pa.concat_arrays(columns).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    sizes = [int(text) for text in texts] if all(map(WHOLE.fullmatch, texts)) else texts
    order = np.array(sorted(range(len(texts)), key=sizes.__getitem__), np.int64)
    codes = np.argsort(order)[encoded.indices.to_numpy()]
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(codes, ends), [texts[place] for place in order]
