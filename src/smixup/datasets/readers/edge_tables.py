"""The tables of an edge list: a row for every edge, and for every node."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.assembly import NAMELESS, NodeNames
from smixup.datasets.readers.attributes import Column
from smixup.datasets.readers.registry import names_of
from smixup.datasets.readers.tables import (
    advice_on,
    column_names,
    index_columns,
    is_parquet,
    read_arrays,
    require_column,
)
from smixup.errors import SmixupError, require
from smixup.shown import number_of, shown

LARGEST = float(np.finfo(np.float32).max)
WHOLE = re.compile("0|[1-9][0-9]{0,17}")
TEXT = "name it in categories if it is text"

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Texts:
    """A column of text, of which each value is kept once.

    Attributes:
        codes: `[m]`, places in `values`.
        values: the texts in order: whole numbers by size if all are, else by their letters.
        whole: whether all are whole numbers.
    """

    codes: Integers
    values: list[str] = field(default_factory=list)
    whole: bool = False

    @classmethod
    def ordered(cls, codes: NDArray[Any], values: Sequence[str], whole: bool) -> Texts:
        """Return a column whose values are not in order yet."""
        by_size = (lambda place: int(values[place])) if whole else values.__getitem__
        order = sorted(range(len(values)), key=by_size)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return cls(rank[codes], [values[place] for place in order], whole)

    def at(self, row: int) -> str:
        """Return the text in a row."""
        return self.values[int(self.codes[row])]


def joined(left: Texts, right: Texts) -> tuple[Texts, Texts]:
    """Return two columns with names of the same things, numbered alike."""
    names = list(dict.fromkeys([*left.values, *right.values]))
    every = Texts.ordered(np.arange(len(names)), names, left.whole and right.whole)
    place = {name: index for index, name in enumerate(every.values)}
    first, second = (
        np.array([place[name] for name in side.values], np.int64)[side.codes]
        for side in (left, right)
    )
    return replace(every, codes=first), replace(every, codes=second)


def read_columns(
    path: Path, kinds: Mapping[str, bool | None]
) -> dict[str, Texts | NDArray[np.float64]]:
    """Return columns of a table, numbers as numbers.

    Args:
        path: of a CSV or parquet file.
        kinds: by name of the column, whether it must hold numbers (True), is text (False), or is
            seen from its cells (None).
    """
    arrays = read_arrays(path, list(kinds))
    return {name: _column(path, name, array, kinds[name]) for name, array in arrays.items()}


def _column(path: Path, name: str, array: Any, number: bool | None) -> Texts | NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if array.null_count:
        row = array.is_null().to_pylist().index(True) + 1
        raise SmixupError(f"row {row} of {path.name} is empty in column '{name}': fill it in.")
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        cells = array.to_numpy()
        if number is not False:
            return _finite(path, name, cells.astype(np.float64), array)
        if kind != pa.bool_() and (cells % 1 == 0).all() and (np.abs(cells) < 1e15).all():
            whole, codes = np.unique(cells.astype(np.int64), return_inverse=True)
            return Texts(codes.astype(np.int64), [str(value) for value in whole], whole=True)
        array = pa.chunked_array([pa.array([str(cell) for cell in cells.tolist()], pa.string())])
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        array = pa.chunked_array([pa.array([str(cell) for cell in array.to_pylist()], pa.string())])
    if not is_parquet(path):
        array = pc.utf8_trim(array, " ")
    if number is not False and len(array):
        with suppress(pa.ArrowInvalid):
            return _finite(path, name, array.cast(pa.float64()).to_numpy().copy(), array)
    encoded = array.combine_chunks().dictionary_encode()
    codes, values = encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()
    numbers = [number_of(value) if value.isascii() else None for value in values]
    if number or (number is None and numbers and None not in numbers):
        as_float = np.array([np.nan if each is None else each for each in numbers], np.float64)
        return _finite(path, name, as_float[codes], array)
    if number is None:
        _require_texts(path, name, codes, values, numbers)
    return Texts.ordered(codes, values, bool(values) and all(map(WHOLE.fullmatch, values)))


def _finite(path: Path, name: str, numbers: NDArray[np.float64], cells: Any) -> NDArray[np.float64]:
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        raise _no_number(path, name, int(odd[0]), cells[int(odd[0])], ".")
    return numbers


def _require_texts(
    path: Path, name: str, codes: Integers, values: list[str], numbers: Sequence[float | None]
) -> None:
    """Refuse a cell such as 1_0 among numbers, all of which would be categories with it. Empty
    cells are left to `require_filled`, which knows what the column is for.
    """
    fine = np.array([each is not None and math.isfinite(each) for each in numbers], bool)
    odd = ~fine & (np.array(values) != "")
    if odd.any() and 2 * int(fine[codes].sum()) > len(codes):
        row = int(np.flatnonzero(odd[codes])[0])
        raise _no_number(
            path, name, row, values[codes[row]], f", as most others are: mend it, or {TEXT}."
        )


def _no_number(path: Path, name: str, row: int, cell: object, hint: str) -> SmixupError:
    return SmixupError(
        f"'{shown(cell)}' in row {row + 1} of {path.name}, column '{name}', is no finite number"
        f"{hint}"
    )


def _kinds_of(present: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, bool | None]:
    """Tell of the columns to be read which are text, and of which it is to be seen. The index of a
    data frame is not read: where rows stand in a file says nothing about nodes and edges.
    """
    categories = names_of(options["categories"])
    ignored = {*names_of(options["ignore"]), *index_columns(present)} - {*categories}
    return {name: False if name in categories else None for name in present if name not in ignored}


def left_out(path: Path, options: Mapping[str, Any]) -> list[str]:
    """Tell of the columns that look like the index of a data frame; no feature comes of them."""
    named = (*names_of(options["ignore"]), *names_of(options["categories"]))
    used = (options["graph"], options["node"], options["weight"], *names_of(options["ends"]))
    return [
        f"'{name}' of {path.name} looks like the index of a data frame, and is left out: give the "
        "column a name of its own if it is a feature."
        for name in index_columns(column_names(path))
        if name not in (*named, *used)
    ]


def _read(
    path: Path, options: Mapping[str, Any], keys: Sequence[str], weight: str = ""
) -> dict[str, Any]:
    """Return the columns of a table of edges or nodes; none may have an empty cell."""
    present = column_names(path)
    for key in keys:
        require_column(path, key, present)
    kinds = _kinds_of(present, options) | dict.fromkeys(keys, False)
    if weight in present:
        kinds[weight] = True
    columns = read_columns(path, kinds)
    for name, column in columns.items():
        if isinstance(column, Texts) and "" in column.values:
            row = int(np.flatnonzero(column.codes == column.values.index(""))[0]) + 1
            less = "the row out" if name in keys else f"the column out by ignore={name}"
            raise SmixupError(
                f"row {row} of {path.name} has nothing in column '{name}': fill it in, or leave "
                f"{less}."
            )
    return dict(columns)


def _attributes(columns: Mapping[str, Any]) -> dict[str, Column]:
    return {
        name: Column.of_texts(column.codes, column.values)
        if isinstance(column, Texts)
        else Column.of_numbers(column)
        for name, column in columns.items()
    }


@dataclass(frozen=True)
class EdgeTable:
    """A table of edges, without its names.

    Attributes:
        path: of the table.
        graph: names of graphs.
        source: names of the first ends.
        target: names of the second ends; codes are those of `source`.
        weight: None where there is none.
        columns: attributes.
    """

    path: Path
    graph: Texts
    source: Texts
    target: Texts
    weight: NDArray[np.float64] | None
    columns: Mapping[str, Column]

    @classmethod
    def read(cls, path: Path, options: Mapping[str, Any]) -> EdgeTable:
        """Read a table; options are those of `read_edge_list`."""
        ends = names_of(options["ends"])
        require(len(ends) == 2, "ends", options["ends"], "two names of columns")
        graph, weight = options["graph"], options["weight"]
        columns = _read(path, options, (graph, *ends), weight)
        source, target = joined(columns.pop(ends[0]), columns.pop(ends[1]))
        names, weights = columns.pop(graph), columns.pop(weight, None)
        if weights is not None and len(odd := np.flatnonzero(weights == 0)):
            raise SmixupError(
                f"row {odd[0] + 1} of {path.name} has a weight of zero in column '{weight}': leave "
                "the edge out."
            )
        if weights is not None and len(odd := np.flatnonzero(np.abs(weights) > LARGEST)):
            raise SmixupError(
                f"row {odd[0] + 1} of {shown(path.name)} has a weight of {weights[odd[0]]}, which "
                "is not finite in single precision."
            )
        return cls(path, names, source, target, weights, _attributes(columns))

    def __len__(self) -> int:
        return len(self.source.codes)

    def where(self, row: int) -> str:
        """Tell where an edge stands."""
        return f"row {row + 1} of {self.path.name}"


@dataclass(frozen=True)
class NodeTable:
    """The nodes of all graphs, in order.

    Attributes:
        sizes: `[G]`.
        source, target: `[m]`, the ends of edges, counted over all graphs.
        columns: attributes.
        path: of the table of nodes, None where there is none.
        order: `[n]`, the row of each node in its table.
        alone: how many graphs got a node because nothing names one.
        names: what the nodes are called.
    """

    sizes: Integers
    source: Integers
    target: Integers
    columns: Mapping[str, Column] = field(default_factory=dict)
    path: Path | None = None
    order: Integers | None = None
    alone: int = 0
    names: NodeNames | None = None

    @classmethod
    def of(
        cls, table: EdgeTable, path: Path | None, names: list[str], options: Mapping[str, Any]
    ) -> NodeTable:
        """Return the nodes of graphs.

        Args:
            table: of edges, whose ends are found among the nodes.
            path: of the table of nodes, None if there is none.
            names: of the graphs, in order.
            options: those of `read_edge_list`.
        """
        graph = _places(names, table.graph, table.path.name, options["graph"])
        if path is None:
            return cls._named_by_edges(table, graph, len(names))
        return cls._from_table(table, graph, path, names, options)

    @classmethod
    def _named_by_edges(cls, table: EdgeTable, graph: Integers, number: int) -> NodeTable:
        width, edges = max(len(table.source.values), 1), len(table)
        keys = np.concatenate([graph * width + side.codes for side in (table.source, table.target)])
        nodes, ends = np.unique(keys, return_inverse=True)
        sizes = np.bincount(nodes // width, minlength=number)
        lonely = sizes == 0
        shift = np.cumsum(lonely) - lonely  # lonely nodes before those of each graph
        codes = np.full(len(nodes) + int(lonely.sum()), NAMELESS)
        codes[np.arange(len(nodes)) + shift[nodes // width]] = nodes % width
        return cls(
            sizes + lonely,
            ends[:edges] + shift[graph],
            ends[edges:] + shift[graph],
            alone=int(lonely.sum()),
            names=NodeNames.coded(sizes + lonely, codes, table.source.values),
        )

    @classmethod
    def _from_table(
        cls,
        table: EdgeTable,
        graph: Integers,
        path: Path,
        names: list[str],
        options: Mapping[str, Any],
    ) -> NodeTable:
        keys = options["graph"], options["node"]
        columns = _read(path, options, keys)
        of_graph = _places(names, columns.pop(keys[0]), path.name, keys[0])
        own: Texts = columns.pop(keys[1])
        known, ends = joined(own, replace(table.source, codes=np.arange(len(table.source.values))))
        width = max(len(known.values), 1)
        key_of = of_graph * width + known.codes
        order = np.argsort(of_graph, kind="stable")  # nodes stay in the order of their table
        by_key = np.argsort(key_of, kind="stable")
        ordered = key_of[by_key]
        if len(twice := np.flatnonzero(ordered[1:] == ordered[:-1])):
            rows = sorted(int(by_key[twice[0] + step]) + 1 for step in (0, 1))
            raise SmixupError(
                f"rows {rows[0]} and {rows[1]} of {path.name} are the same node "
                f"'{own.at(rows[0] - 1)}': keep one."
            )
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        sizes = np.bincount(of_graph, minlength=len(names))
        if len(empty := np.flatnonzero(sizes == 0)):
            raise SmixupError(
                f"{path.name} has no node of the graph '{names[int(empty[0])]}': add its nodes, or "
                "leave the graph out."
            )
        placed = []
        for side, column in zip(
            (table.source, table.target), names_of(options["ends"]), strict=True
        ):
            wanted = graph * width + ends.codes[side.codes]
            at = np.searchsorted(ordered, wanted).clip(max=max(len(ordered) - 1, 0))
            if len(odd := np.flatnonzero(ordered[at] != wanted)):
                row = int(odd[0])
                name, within = side.at(row), int(graph[row])
                there = [own.values[code] for code in own.codes[of_graph == within]]
                advice = advice_on(name, there, "add it there, or remove the edge")
                raise SmixupError(
                    f"{table.where(row)} names '{name}' in column '{column}', which {path.name} "
                    f"does not have in the graph '{names[within]}': {advice}."
                )
            placed.append(place[by_key[at]])
        return cls(
            sizes,
            placed[0],
            placed[1],
            _attributes(columns),
            path,
            order,
            names=NodeNames.coded(sizes, own.codes[order], own.values),
        )

    def where(self, row: int) -> str:
        """Tell where a node stands in its table."""
        return f"row {row + 1} of {self.path.name}" if self.path else f"node {row}"


def _places(names: list[str], column: Texts, where: str, key: str) -> Integers:
    """Return the place of each graph that is named in a table, `[m]`."""
    place = {name: index for index, name in enumerate(names)}
    places = np.array([place.get(name, -1) for name in column.values], np.int64)
    if len(odd := np.flatnonzero(places[column.codes] < 0)):
        name = column.at(int(odd[0]))
        advice = advice_on(name, names, "add it there, or remove its rows here")
        raise SmixupError(
            f"row {odd[0] + 1} of {where} names the graph '{name}' in column '{key}', which the "
            f"table of graphs does not have: {advice}."
        )
    return places[column.codes]
