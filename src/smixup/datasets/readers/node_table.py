"""The nodes of all graphs: from a table with a row for every one, or as edges name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.attribute_columns import Column
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.datasets.readers.node_names import NAMELESS, NodeNames
from smixup.datasets.readers.options import names_of
from smixup.datasets.readers.streamed_table import Texts, read_columns
from smixup.datasets.readers.table_columns import as_column, joined, kinds_of, require_filled
from smixup.datasets.readers.tables import advice_on, column_names, require_column
from smixup.errors import SmixupError

Integers = NDArray[np.int64]


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
    columns: Mapping[str, Column]
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
        width = max(len(table.source.values), 1)
        first, second = graph * width + table.source.codes, graph * width + table.target.codes
        nodes, source, target = _numbered(first, second, number * width)
        sizes = np.bincount(nodes // width, minlength=number)
        lonely = sizes == 0
        shift = np.cumsum(lonely) - lonely  # lonely nodes before those of each graph
        codes = np.full(len(nodes) + int(lonely.sum()), NAMELESS)
        codes[np.arange(len(nodes)) + shift[nodes // width]] = nodes % width
        return cls(
            sizes + lonely,
            source + shift[graph],
            target + shift[graph],
            {},
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
        present = column_names(path)
        keys = options["graph"], options["node"]
        for key in keys:
            require_column(path, key, present)
        kinds = kinds_of(present, options) | dict.fromkeys(keys, False)
        found: dict[str, Any] = dict(read_columns(path, kinds))
        require_filled(path, found, keys)
        of_graph = _places(names, found.pop(keys[0]), path.name, keys[0])
        own: Texts = found.pop(keys[1])
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
                f"'{own.text(int(own.codes[rows[0] - 1]))}': keep one."
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
                name, of = side.text(int(side.codes[row])), int(graph[row])
                there = [own.text(int(code)) for code in own.codes[of_graph == of]]
                advice = advice_on(name, there, "add it there, or remove the edge")
                raise SmixupError(
                    f"{table.where(row)} names '{name}' in column '{column}', which {path.name} "
                    f"does not have in the graph '{names[of]}': {advice}."
                )
            placed.append(place[by_key[at]])
        columns = {name: as_column(each) for name, each in found.items()}
        called = NodeNames.coded(sizes, own.codes[order], own.values)
        return cls(sizes, placed[0], placed[1], columns, path, order, names=called)

    def where(self, row: int) -> str:
        """Tell where a node stands in its table."""
        return f"row {row + 1} of {self.path.name}" if self.path else f"node {row}"


def _places(names: list[str], found: Texts, where: str, column: str) -> Integers:
    """Return the place of each graph that is named in a table, `[m]`."""
    place = {name: index for index, name in enumerate(names)}
    places = np.array([place.get(name, -1) for name in found.texts()], np.int64)
    if len(odd := np.flatnonzero(places < 0)):
        row = int(np.flatnonzero(np.isin(found.codes, odd))[0])
        name = found.text(int(found.codes[row]))
        advice = advice_on(name, names, "add it there, or remove its rows here")
        raise SmixupError(
            f"row {row + 1} of {where} names the graph '{name}' in column '{column}', which the "
            f"table of graphs does not have: {advice}."
        )
    return places[found.codes] if len(places) else found.codes


def _numbered(first: Integers, second: Integers, limit: int) -> tuple[Integers, Integers, Integers]:
    """Return the numbers of two columns, each once and in order, and their places among these.

    Args:
        first, second: `[m]`, below `limit`.
        limit: if it is not much larger than m, numbers are marked instead of sorted.
    """
    if limit <= 8 * len(first) + 1000:
        there = np.zeros(limit, bool)
        there[first] = there[second] = True
        place = np.cumsum(there) - 1
        return np.flatnonzero(there), place[first], place[second]
    every = np.concatenate([first, second])
    every.sort()
    keep = np.ones(len(every), bool)
    np.not_equal(every[1:], every[:-1], out=keep[1:])
    every = every[keep]
    return every, np.searchsorted(every, first), np.searchsorted(every, second)
