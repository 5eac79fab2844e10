"""Attributes of nodes and edges as columns of features.

Numbers become one column; text becomes a column for each of its values and one, the last, for
values that were not there when the columns were learned. What was learned is plain values, for
`Reading.vocabulary`: `{"size": None, "colour": ["blue", "red"]}` are 1 + 3 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.errors import SmixupError, shown
from smixup.graphs import Graphs
from smixup.settings import number_of

MOST = 1000
"""A text attribute with more values than this names things, rather than telling their kind."""

Columns: TypeAlias = Mapping[str, pa.Array]
"""Attributes by name, of `column_of`: doubles that are finite in single precision, or text."""
Where: TypeAlias = Callable[[int], str]
"""Tells of a row where it stands, for errors."""


class Attributed(NamedTuple):
    """Graphs without targets, what their attributes became, and what to tell."""

    graphs: Graphs
    vocabulary: dict[str, Any]
    notes: list[str]


def is_text(array: Any) -> bool:
    """Tell whether cells are text, and not numbers or anything else."""
    return bool(pa.types.is_string(array.type) or pa.types.is_large_string(array.type))


def column_of(
    name: str, array: Any, where: Where, category: bool = False, spelled: bool = False
) -> pa.Array:
    """Return an attribute as numbers or text, without gaps. Where numbers are spelled, as in a CSV,
    a text is numbers if half of its cells are; another cell among them is refused.
    """
    if (row := pc.index(pc.is_null(array, nan_is_null=True), True).as_py()) >= 0:
        raise SmixupError(
            f"'{name}' is missing at {where(row)}: give it to all, or name it in the option ignore."
        )
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    numbers = None
    if any(is_kind(array.type) for is_kind in kinds):
        numbers = array.cast(pa.float64(), safe=False)
    elif spelled and is_text(array) and not category:
        numbers = _spelled(array)
        if 2 * numbers.null_count > len(numbers):
            numbers = None
    if category or numbers is None:
        return as_texts(array)
    cells = numbers.to_numpy(zero_copy_only=False)
    if len(odd := np.flatnonzero(~(np.abs(cells) <= np.finfo(np.float32).max))):
        raise SmixupError(
            f"'{name}' is '{shown(array[odd[0]])}' at {where(int(odd[0]))}, where a finite number "
            "is needed: mend it, or name it in the option categories if it is text."
        )
    return numbers


def as_texts(array: pa.Array) -> pa.Array:
    """Return a column as text; 1.0 is the text that 1 is."""
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    try:
        return array.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.array([str(cell) for cell in array.to_pylist()], pa.large_string())


def _spelled(texts: pa.Array) -> pa.Array:
    """Return the numbers that texts spell, null where they spell none."""
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid:
        encoded = texts.dictionary_encode()
        cells = encoded.dictionary.to_pylist()
        numbers = [number_of(cell) if cell.isascii() else None for cell in cells]
        return pa.array(numbers, pa.float64()).take(encoded.indices)


def attributed_graphs(
    ptr: Tensor,
    ends: Tensor,
    nodes: Columns,
    edges: Columns,
    weight: str,
    vocabulary: Mapping[str, Any] | None,
    both_ways: bool,
) -> Attributed:
    """Return graphs (`graphs_of`) with features; the attribute `weight` of edges is their weight,
    and `vocabulary` is what attributes became in graphs read before, None if that is to be learned.
    """
    weights = _numbers(weight, edges[weight]) if weight in edges else None
    edges = {name: column for name, column in edges.items() if name != weight}
    if vocabulary is None:
        vocabulary = {"nodes": _learnt(nodes), "edges": _learnt(edges)}
    x, of_nodes = _encoded(nodes, int(ptr[-1]), vocabulary["nodes"], "nodes")
    edge_attr, of_edges = _encoded(edges, ends.size(1), vocabulary["edges"], "edges")
    known = {what: dict(vocabulary[what]) for what in ("nodes", "edges")}
    graphs = graphs_of(ptr, x, ends, weights, edge_attr, both_ways)
    return Attributed(graphs, known, [*of_nodes, *of_edges])


def _learnt(columns: Columns) -> dict[str, list[str] | None]:
    vocabulary: dict[str, list[str] | None] = {}
    for name in sorted(columns):
        values = sorted(columns[name].unique().to_pylist()) if is_text(columns[name]) else None
        if values is not None and len(values) > MOST:
            raise SmixupError(
                f"the attribute '{name}' has {len(values)} different texts, such as "
                f"'{shown(values[0])}', too many to be categories: name it in the option ignore."
            )
        vocabulary[name] = values
    return vocabulary


def _encoded(
    columns: Columns, rows: int, vocabulary: Mapping[str, Any], what: str
) -> tuple[Tensor, list[str]]:
    """Return features `[rows, width]`, bytes where all are categories, and what to tell."""
    unused = [name for name in columns if name not in vocabulary]
    notes = [f"'{name}' of {what} is left out: files read before have none." for name in unused]
    parts = []
    for name, values in vocabulary.items():
        if name not in columns:
            raise SmixupError(f"the attribute '{name}' of the files read before is missing.")
        if values is None:
            parts.append(_numbers(name, columns[name]).unsqueeze(1))
            continue
        places = pc.index_in(as_texts(columns[name]), pa.array(values, pa.large_string()))
        codes = places.fill_null(len(values)).to_numpy()
        parts.append(one_hot_columns(codes[:, None], [len(values) + 1]))
        if places.null_count:
            notes.append(
                f"{places.null_count:,} of the {what} have a '{name}' that was not there when "
                "features were learned: it is taken for 'other'."
            )
    return torch.cat(parts, 1) if parts else torch.zeros(rows, 0), notes


def _numbers(name: str, column: pa.Array) -> Tensor:
    if is_text(column) and len(column):
        raise SmixupError(f"'{name}' is text ('{shown(column[0])}'), where a number is needed.")
    return torch.from_numpy(column.to_numpy(zero_copy_only=False).astype(np.float32))
