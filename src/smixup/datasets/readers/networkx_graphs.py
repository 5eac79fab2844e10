"""networkx graphs, from Python or from files that networkx reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from smixup.datasets.readers.assembly import counted, graphs_of, offsets_of, unseen
from smixup.datasets.readers.attributes import Column, Where, column_of, encode, learn
from smixup.datasets.readers.registry import names_of, require_one_of
from smixup.errors import SmixupError
from smixup.graphs import Graphs

NODES, EDGES = "nodes", "edges"
"""Where a vocabulary keeps what attributes of nodes and edges become."""

DIRECTIONS = ("keep", "both")
HIDDEN = ("node_default", "edge_default")
"""What networkx keeps of GraphML among the attributes of a graph."""


@dataclass(frozen=True)
class Found:
    """What networkx graphs hold.

    Attributes:
        graphs: without targets.
        vocabulary: what attributes became.
        notes: what to tell.
    """

    graphs: Graphs
    vocabulary: dict[str, Any]
    notes: list[str] = field(default_factory=list)


def read_networkx(
    graphs: Sequence[Any],
    names: Sequence[str],
    vocabulary: Mapping[str, Any] | None = None,
    weight: str = "weight",
    categories: Any = None,
    ignore: Any = None,
    directions: str = "keep",
) -> Found:
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
    require_one_of("directions", directions, DIRECTIONS)
    _check(graphs, names, directions)
    left_out, kinds = set(names_of(ignore)), set(names_of(categories))
    ptr = offsets_of([len(graph) for graph in graphs])
    ends = _Ends.of(graphs, ptr, directions)
    nodes = _columns(
        [
            _filled(graph, "node_default", data)
            for graph in graphs
            for _, data in graph.nodes(data=True)
        ],
        left_out,
        kinds,
        _node_at(graphs, names),
    )
    edges = _columns(
        [
            _filled(graph, "edge_default", data)
            for graph in graphs
            for _, _, data in graph.edges(data=True)
        ],
        left_out - {weight},
        kinds,
        where_edge := _edge_at(graphs, names),
    )
    weights = _weights(edges.pop(weight, None), weight, where_edge)
    if vocabulary is None:
        vocabulary = {NODES: learn(nodes, kinds), EDGES: learn(edges, kinds)}
    notes = [
        *_not_known(nodes, vocabulary[NODES], NODES),
        *_not_known(edges, vocabulary[EDGES], EDGES),
    ]
    x, odd_nodes = encode(nodes, vocabulary[NODES], int(ptr[-1]), _node_at(graphs, names))
    attributes, odd_edges = encode(edges, vocabulary[EDGES], ends.rows, where_edge)
    found = graphs_of(
        ptr,
        x,
        ends.edge_index,
        None if weights is None else weights[ends.row],
        attributes[ends.row],
    )
    notes += [*unseen(odd_nodes, NODES), *unseen(odd_edges, EDGES), *_told(graphs, directions)]
    return Found(found, {NODES: dict(vocabulary[NODES]), EDGES: dict(vocabulary[EDGES])}, notes)


def graph_attributes(graphs: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the attributes of whole graphs as text, empty where a graph has none."""
    names = sorted(
        {name for graph in graphs for name in graph.graph if name not in HIDDEN}, key=str
    )
    return {str(name): tuple(_text(graph.graph.get(name)) for graph in graphs) for name in names}


def _text(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class _Ends:
    """Edges of all graphs in PyG's way, and of which edge of networkx each is a direction."""

    edge_index: Tensor
    row: Tensor
    rows: int

    @classmethod
    def of(cls, graphs: Sequence[Any], ptr: Tensor, directions: str) -> _Ends:
        source: list[int] = []
        target: list[int] = []
        twice: list[bool] = []
        for graph, first in zip(graphs, ptr.tolist(), strict=False):
            place = {node: first + index for index, node in enumerate(graph)}
            both = directions == "both" or not graph.is_directed()
            for u, v in graph.edges():
                source.append(place[u])
                target.append(place[v])
                twice.append(both and u != v)
        forward = torch.tensor([source, target]).view(2, -1)
        back = torch.tensor(twice, dtype=torch.bool).nonzero().squeeze(1)
        edge_index = torch.cat([forward, forward[:, back].flip(0)], 1)
        return cls(edge_index, torch.cat([torch.arange(len(source)), back]), len(source))


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
    if directions == "keep" and any(directed) and not all(directed):
        one, other = names[directed.index(True)], names[directed.index(False)]
        raise SmixupError(
            f"{one} is directed, but {other} is not: make all alike, or let every edge run in both "
            "directions by the option directions=both."
        )


def _filled(graph: Any, default: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes with those that a GraphML file gives to all that have none."""
    return {**graph.graph.get(default, {}), **data}


def _columns(
    rows: Sequence[Mapping[str, Any]],
    ignore: Collection[str],
    categories: Collection[str],
    where: Where,
) -> dict[str, Column]:
    """Return attributes by name; a list of numbers is several, numbered from 0."""
    names = {name: None for row in rows for name in row if str(name) not in ignore}
    found: dict[str, Column] = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        if any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
            parts = _parted(str(name), cells, where)
            found |= {key: column_of(key, part, where) for key, part in parts.items()}
        else:
            found[str(name)] = column_of(str(name), cells, where, str(name) in categories)
    return found


def _parted(name: str, cells: Sequence[Any], where: Where) -> dict[str, list[Any]]:
    """Return an attribute that is a list of numbers as one attribute for each."""
    width = next(len(cell) for cell in cells if isinstance(cell, list | tuple | np.ndarray))
    for row, cell in enumerate(cells):
        if not isinstance(cell, list | tuple | np.ndarray) or len(cell) != width:
            raise SmixupError(
                f"the attribute '{name}' is {str(cell)[:40]!r} at {where(row)}, where a list of "
                f"{width} numbers is needed, as others are."
            )
    digits = len(str(width - 1))
    return {
        f"{name}.{place:0{digits}}": [_plain(cell[place]) for cell in cells]
        for place in range(width)
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _weights(column: Column | None, name: str, where: Where) -> Tensor | None:
    if column is None:
        return None
    return encode({name: column}, {name: None}, 0, where)[0].squeeze(1)


def _not_known(
    columns: Mapping[str, Column], vocabulary: Mapping[str, Any], what: str
) -> Iterator[str]:
    for name in columns:
        if name not in vocabulary:
            yield f"the attribute '{name}' of {what} is left out: the files read before have none."


def _node_at(graphs: Sequence[Any], names: Sequence[str]) -> Where:
    def where(row: int) -> str:
        return _nth(row, [list(graph) for graph in graphs], names, "node '{}'")

    return where


def _edge_at(graphs: Sequence[Any], names: Sequence[str]) -> Where:
    def where(row: int) -> str:
        edges = [[f"{u}' to '{v}" for u, v in graph.edges()] for graph in graphs]
        return _nth(row, edges, names, "the edge from '{}'")

    return where


def _nth(row: int, parts: Sequence[Sequence[Any]], names: Sequence[str], pattern: str) -> str:
    """Tell which of all nodes, or edges, the one at `row` is."""
    every = chain.from_iterable(
        ((name, each) for each in part) for name, part in zip(names, parts, strict=True)
    )
    name, each = next(found for place, found in enumerate(every) if place == row)
    return f"{pattern.format(each)} of {name}"


def _told(graphs: Sequence[Any], directions: str) -> Iterator[str]:
    if any(graph.is_directed() for graph in graphs):
        yield (
            "the graphs are directed, and every edge was made to run in both directions."
            if directions == "both"
            else "the graphs are directed and are read so: messages run from source to target "
            "alone; the option directions=both makes every edge run in both."
        )
    parallel = sum(
        graph.number_of_edges() - nx.Graph(graph).number_of_edges()
        for graph in graphs
        if graph.is_multigraph() and not graph.is_directed()
    ) + sum(
        graph.number_of_edges() - nx.DiGraph(graph).number_of_edges()
        for graph in graphs
        if graph.is_multigraph() and graph.is_directed()
    )
    if parallel:
        yield (
            f"{counted(parallel, 'edge stands', 'edges stand')} beside another between the same "
            "nodes: they became one, whose weight is their sum."
        )
