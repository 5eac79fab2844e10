"""networkx graphs, from Python or from files that networkx reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from smixup.datasets.readers.assembly import counted, graphs_of, unseen
from smixup.datasets.readers.attributes import Column, Where, column_of, encode, learn
from smixup.datasets.readers.registry import names_of, require_one_of
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets

NODES, EDGES = "nodes", "edges"  # where a vocabulary keeps what attributes become
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
    ptr = offsets(torch.tensor([len(graph) for graph in graphs]))
    edge_index, row, edge_rows = _edges_of(graphs, ptr, directions)
    node_at, edge_at = _node_at(graphs, names), _edge_at(graphs, names)
    nodes = _columns(
        [
            {**graph.graph.get("node_default", {}), **data}
            for graph in graphs
            for _, data in graph.nodes(data=True)
        ],
        left_out,
        kinds,
        node_at,
    )
    edges = _columns(
        [
            {**graph.graph.get("edge_default", {}), **data}
            for graph in graphs
            for _, _, data in graph.edges(data=True)
        ],
        left_out - {weight},
        kinds,
        edge_at,
    )
    weights = None
    if (column := edges.pop(weight, None)) is not None:
        weights = encode({weight: column}, {weight: None}, 0, edge_at)[0].squeeze(1)[row]
    if vocabulary is None:
        vocabulary = {NODES: learn(nodes, kinds), EDGES: learn(edges, kinds)}
    notes = [
        f"the attribute '{name}' of {what} is left out: the files read before have none."
        for what, columns in ((NODES, nodes), (EDGES, edges))
        for name in columns
        if name not in vocabulary[what]
    ]
    x, odd_nodes = encode(nodes, vocabulary[NODES], int(ptr[-1]), node_at)
    attributes, odd_edges = encode(edges, vocabulary[EDGES], edge_rows, edge_at)
    notes += [*unseen(odd_nodes, NODES), *unseen(odd_edges, EDGES), *_notes(graphs, directions)]
    known = {what: dict(vocabulary[what]) for what in (NODES, EDGES)}
    return Found(graphs_of(ptr, x, edge_index, weights, attributes[row]), known, notes)


def graph_attributes(graphs: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the attributes of whole graphs as text, empty where a graph has none."""
    names = sorted(
        {name for graph in graphs for name in graph.graph if name not in HIDDEN}, key=str
    )
    return {
        str(name): tuple(
            "" if (cell := graph.graph.get(name)) is None else str(cell) for graph in graphs
        )
        for name in names
    }


def _edges_of(graphs: Sequence[Any], ptr: Tensor, directions: str) -> tuple[Tensor, Tensor, int]:
    """Return `edge_index [2, m]`, for each of its edges the row of its attributes, and how many
    rows there are.
    """
    ends: list[tuple[int, int]] = []
    twice: list[bool] = []
    for graph, first in zip(graphs, ptr.tolist(), strict=False):
        place = {node: first + index for index, node in enumerate(graph)}
        both = directions == "both" or not graph.is_directed()
        ends += [(place[u], place[v]) for u, v in graph.edges()]
        twice += [both and u != v for u, v in graph.edges()]
    forward = torch.tensor(ends, dtype=torch.long).view(-1, 2).T
    back = torch.tensor(twice, dtype=torch.bool).nonzero().squeeze(1)
    edge_index = torch.cat([forward, forward[:, back].flip(0)], 1)
    return edge_index, torch.cat([torch.arange(len(ends)), back]), len(ends)


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


def _columns(
    rows: Sequence[Mapping[str, Any]],
    ignore: Collection[str],
    categories: Collection[str],
    where: Where,
) -> dict[str, Column]:
    """Return attributes by name; a list of numbers is several, numbered from 0."""
    names = {name: None for row in rows for name in row if str(name) not in ignore}
    columns: dict[str, Column] = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        if any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
            parts = _parted(str(name), cells, where)
            columns |= {key: column_of(key, part, where) for key, part in parts.items()}
        else:
            columns[str(name)] = column_of(str(name), cells, where, str(name) in categories)
    return columns


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
    rows = [
        [value.item() if isinstance(value, np.generic) else value for value in cell]
        for cell in cells
    ]
    return {f"{name}.{place:0{digits}}": [row[place] for row in rows] for place in range(width)}


def _node_at(graphs: Sequence[Any], names: Sequence[str]) -> Where:
    def where(row: int) -> str:
        every = (
            f"node '{node}' of {name}"
            for graph, name in zip(graphs, names, strict=True)
            for node in graph
        )
        return next(islice(every, row, None))

    return where


def _edge_at(graphs: Sequence[Any], names: Sequence[str]) -> Where:
    def where(row: int) -> str:
        every = (
            f"the edge from '{u}' to '{v}' of {name}"
            for graph, name in zip(graphs, names, strict=True)
            for u, v in graph.edges()
        )
        return next(islice(every, row, None))

    return where


def _notes(graphs: Sequence[Any], directions: str) -> Iterator[str]:
    if any(graph.is_directed() for graph in graphs):
        yield (
            "the graphs are directed, and every edge was made to run in both directions."
            if directions == "both"
            else "the graphs are directed and are read so: messages run from source to target "
            "alone; the option directions=both makes every edge run in both."
        )
    parallel = sum(
        graph.number_of_edges() - len(set(graph.edges()))
        if graph.is_directed()
        else graph.number_of_edges() - nx.Graph(graph).number_of_edges()
        for graph in graphs
        if graph.is_multigraph()
    )
    if parallel:
        yield (
            f"{counted(parallel, 'edge stands', 'edges stand')} beside another between the same "
            "nodes: they became one, whose weight is their sum."
        )
