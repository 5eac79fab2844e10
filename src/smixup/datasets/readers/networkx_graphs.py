"""networkx graphs, from Python or from files that networkx reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pyarrow as pa
import torch

from smixup.datasets.readers.assembly import counted
from smixup.datasets.readers.attributes import (
    Where,
    as_numbers,
    as_texts,
    attributed_graphs,
    filled,
    is_number,
    is_text,
)
from smixup.datasets.readers.registry import names_of
from smixup.errors import SmixupError, require, shown
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets

DIRECTIONS = ("keep", "both")
HIDDEN = ("node_default", "edge_default")
"""What networkx keeps of GraphML among the attributes of a graph."""
VECTORS = (list, tuple, np.ndarray)


class NetworkxGraphs(NamedTuple):
    """Graphs without targets, what their attributes became, and what to tell."""

    graphs: Graphs
    vocabulary: dict[str, Any]
    notes: list[str]


def read_networkx(
    graphs: Sequence[Any],
    names: Sequence[str],
    vocabulary: Mapping[str, Any] | None = None,
    weight: str = "weight",
    categories: Any = None,
    ignore: Any = None,
    directions: str = "keep",
) -> NetworkxGraphs:
    """Return networkx graphs as `Graphs`.

    Attributes of nodes become features and those of edges `edge_attr`: numbers are columns, text is
    one-hot. An undirected edge is an edge in both directions.

    Args:
        graphs: one at least, of any class of networkx.
        names: of the graphs, for errors.
        vocabulary: what attributes became in graphs read before; None learns it.
        weight: the attribute of edges that is their weight.
        categories: attributes that are categories although they are numbers.
        ignore: attributes of nodes and edges to leave out.
        directions: of directed graphs: `keep` them, or make every edge run in `both`.
    """
    require(directions in DIRECTIONS, "directions", directions, "keep or both")
    _check(graphs, names, directions)
    ignored, kinds = set(names_of(ignore)), set(names_of(categories))
    ptr = offsets(torch.tensor([len(graph) for graph in graphs]))
    nodes: list[tuple[str, dict[str, Any]]] = []
    edges: list[tuple[str, dict[str, Any]]] = []
    ends: list[tuple[int, int]] = []
    for graph, name, first in zip(graphs, names, ptr.tolist(), strict=False):
        place = {node: first + index for index, node in enumerate(graph)}
        of_node, of_edge = (graph.graph.get(default, {}) for default in HIDDEN)
        nodes += [(f"node '{u}' of {name}", of_node | own) for u, own in graph.nodes(data=True)]
        for u, v, own in graph.edges(data=True):
            edges.append((f"the edge from '{u}' to '{v}' of {name}", of_edge | own))
            ends.append((place[u], place[v]))
    read = attributed_graphs(
        ptr,
        torch.tensor(ends, dtype=torch.long).view(-1, 2).T,
        _columns(nodes, ignored, kinds),
        _columns(edges, ignored - {weight}, kinds - {weight}),
        weight,
        vocabulary,
        both_ways=directions == "both" or not graphs[0].is_directed(),
    )
    read[2].extend(_notes(graphs, directions))
    return NetworkxGraphs(*read)


def graph_attributes(graphs: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the attributes of whole graphs as text, empty where a graph has none."""
    own = [getattr(graph, "graph", {}) for graph in graphs]
    names = {name for each in own for name in each if name not in HIDDEN}
    cells = {name: [each.get(name) for each in own] for name in sorted(names, key=str)}
    return {
        str(name): tuple("" if cell is None else str(cell) for cell in column)
        for name, column in cells.items()
    }


def node_names(graphs: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return what the nodes of each graph are called."""
    return [tuple(map(str, graph)) for graph in graphs]


def _check(graphs: Sequence[Any], names: Sequence[str], directions: str) -> None:
    if not graphs:
        raise SmixupError("there are no graphs.")
    for graph, name in zip(graphs, names, strict=True):
        if not isinstance(graph, nx.Graph):
            raise SmixupError(
                f"{name} is a {type(graph).__name__}, where a networkx graph is needed as the "
                "others are."
            )
        if not len(graph):
            raise SmixupError(f"{name} has no nodes: leave it out.")
    directed = [graph.is_directed() for graph in graphs]
    if directions == "keep" and len({*directed}) > 1:
        one, other = names[directed.index(True)], names[directed.index(False)]
        raise SmixupError(
            f"{one} is directed, but {other} is not: make all alike, or let every edge run in both "
            "directions by the option directions=both."
        )


def _columns(
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    ignored: Collection[str],
    categories: Collection[str],
) -> dict[str, pa.Array]:
    """Return attributes by name; a list of numbers is several, numbered from 0."""

    def where(row: int) -> str:
        return rows[row][0]

    columns: dict[str, pa.Array] = {}
    for name in {name: None for _, own in rows for name in own if str(name) not in ignored}:
        cells = [own.get(name) for _, own in rows]
        parts = {str(name): cells}
        if any(isinstance(cell, VECTORS) for cell in cells):
            parts = _parts(str(name), cells, where)
        for part, own_cells in parts.items():
            columns[part] = _column(part, own_cells, where, part in categories)
    return columns


def _column(name: str, cells: Sequence[Any], where: Where, is_category: bool) -> pa.Array:
    """Return an attribute that is given cell by cell: numbers and truth values, or text."""
    plain = [int(cell) if isinstance(cell, bool | np.bool_) else cell for cell in cells]
    try:
        array = filled(name, pa.array(plain), where)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        array = None
    if array is None or not (is_text(array) or is_number(array)):
        are_text = [isinstance(cell, str) for cell in cells]
        row = are_text.index(not are_text[0]) if len({*are_text}) > 1 else 0
        raise SmixupError(
            f"'{name}' is {shown(repr(cells[row]))} at {where(row)}: an attribute is numbers alone "
            "or text alone."
        )
    return as_texts(array) if is_category or is_text(array) else as_numbers(name, array, where)


def _parts(name: str, cells: Sequence[Any], where: Where) -> dict[str, list[Any]]:
    """Return an attribute that is a list of numbers as one attribute for each."""
    width = next(len(cell) for cell in cells if isinstance(cell, VECTORS))
    for row, cell in enumerate(cells):
        if not isinstance(cell, VECTORS) or len(cell) != width:
            raise SmixupError(
                f"'{name}' is {shown(cell)} at {where(row)}, where a list of {width} numbers is "
                "needed, as others are."
            )
    digits = len(str(width - 1))
    rows = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    return {f"{name}.{place:0{digits}}": [row[place] for row in rows] for place in range(width)}


def _notes(graphs: Sequence[Any], directions: str) -> Iterator[str]:
    if any(graph.is_directed() for graph in graphs):
        yield (
            "the graphs are directed, and every edge was made to run in both directions."
            if directions == "both"
            else "the graphs are directed and are read so: messages run from source to target "
            "alone; the option directions=both makes every edge run in both."
        )
    simple = ((graph, nx.DiGraph if graph.is_directed() else nx.Graph) for graph in graphs)
    parallel = sum(
        graph.number_of_edges() - kind(graph).number_of_edges()
        for graph, kind in simple
        if graph.is_multigraph()
    )
    if parallel:
        yield (
            f"{counted(parallel, 'edge stands', 'edges stand')} beside another between the same "
            "nodes: they became one, whose weight is their sum."
        )
