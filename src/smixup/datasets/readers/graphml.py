"""networkx graphs, from Python or from GraphML files, one each."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pyarrow as pa
import torch
from networkx.readwrite.graphml import GraphMLReader

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of, sentences
from smixup.datasets.readers.attributes import attributed_graphs, column_of
from smixup.datasets.readers.labels import (
    answers,
    answers_of_array,
    beside,
    matched_rows,
    no_answers,
)
from smixup.datasets.readers.registry import names_of, options_of
from smixup.datasets.text import readable
from smixup.errors import SmixupError, require, shown
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets
from smixup.memory import require_room

OPTIONS = ("weight", "categories", "ignore", "directions")
TIMES = 20
"""A graph takes some twenty times as much memory as its file while networkx reads it."""
XMLNS = f"{{{GraphMLReader.NS_GRAPHML}}}"
HIDDEN = ("node_default", "edge_default")
"""What networkx keeps of GraphML among the attributes of a graph."""

Row = tuple[str, Mapping[str, Any]]
"""Words for a node or an edge, and its attributes."""


def read_graphml(
    path: Any,
    like: Reading | None = None,
    y: Any = None,
    labels: str | None = None,
    key: str | None = None,
    target: Any = None,
    task: str = "",
    metric: str = "",
    weight: str = "weight",
    categories: Any = None,
    ignore: Any = None,
    directions: str = "keep",
) -> Dataset:
    """A folder of GraphML files, one graph each, in the order of their names.

    Targets are in a table beside the files, `labels.csv` (or `.tsv`, `.parquet`), with a row for
    every file, or else an attribute of the graph in the file.

    Example::

        proteins/  1abc.graphml  2xyz.graphml  labels.csv      file,class
                                                               1abc.graphml,enzyme
                                                               2xyz,other

    Args:
        path: the folder, or one file; or a list of networkx graphs.
        directions: of directed graphs: `keep` them, or make every edge run in `both`.
        like, y, ...: see `readers.registry`.
    """
    options = options_of(read_graphml, locals(), like)
    table_path, own = None, {}
    if isinstance(path, Path):
        files = [path] if path.is_file() else sorted(filter(Path.is_file, path.glob("*.graphml")))
        names, graphs = [file.name for file in files], [read_file(file) for file in files]
        table_path = None if path.is_file() else beside(path, ("labels",), options["labels"])
        own = {"file": tuple(names)}
    else:
        graphs, names = path, [f"graph {place}" for place in range(len(path))]
    asked = {name: options[name] for name in OPTIONS}
    read = read_networkx(graphs, names, None if like is None else like.vocabulary, **asked)
    attributes = _graph_attributes(graphs)
    if y is not None:
        answered = answers_of_array(y, len(graphs), options["task"], like, attributes)
    elif table_path is not None:
        table, key, rows = matched_rows(table_path, names, options["key"])
        answered = answers(table, rows, key, options, like, table_path.name)
    elif attributes and (own or options["target"] is not None):
        where = "the attributes of the graphs"
        answered = answers(own | attributes, range(len(graphs)), "file", options, like, where)
    else:
        advice = "put a table labels.csv beside files, give y=[...], or name an attribute by "
        answered = no_answers(len(graphs), like, f"{advice}target=...")
    reading = Reading("graphml", options, read.vocabulary)
    node_names = [tuple(map(str, graph)) for graph in graphs]
    return dataset_of(path, read.graphs, answered, reading, read.notes, names, node_names)


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
    """Return networkx graphs of any class as `Graphs`: attributes of nodes become features and
    those of edges `edge_attr`; numbers are columns, text is one-hot. An undirected edge is an edge
    in both directions. `names` are for errors, `vocabulary` is what attributes became in graphs
    read before, if there were any; for the rest see `read_graphml`.
    """
    require(directions in ("keep", "both"), "directions", directions, "keep or both")
    for graph, name in zip(graphs, names, strict=True):
        if not isinstance(graph, nx.Graph) or not len(graph):
            found = "empty" if isinstance(graph, nx.Graph) else type(graph).__name__
            raise SmixupError(f"{name} is {found}, where a networkx graph with nodes is needed.")
        if directions == "keep" and graph.is_directed() != graphs[0].is_directed():
            raise SmixupError(
                f"of {names[0]} and {name}, one is directed and the other is not: make all alike, "
                "or let every edge run in both directions by the option directions=both."
            )
    ignored, kinds = set(names_of(ignore)), set(names_of(categories))
    ptr = offsets(torch.tensor([len(graph) for graph in graphs]))
    nodes: list[Row] = []
    edges: list[Row] = []
    ends: list[tuple[int, int]] = []
    for graph, name, first in zip(graphs, names, ptr.tolist(), strict=False):
        place = {node: first + index for index, node in enumerate(graph)}
        of_node, of_edge = (graph.graph.get(default, {}) for default in HIDDEN)
        nodes += [(f"node '{u}' of {name}", of_node | own) for u, own in graph.nodes(data=True)]
        for u, v, own in graph.edges(data=True):
            edges.append((f"the edge from '{u}' to '{v}' of {name}", of_edge | own))
            ends.append((place[u], place[v]))
    directed = any(graph.is_directed() for graph in graphs)
    read = attributed_graphs(
        ptr,
        torch.tensor(ends, dtype=torch.long).view(-1, 2).T,
        _columns(nodes, ignored, kinds),
        _columns(edges, ignored - {weight}, kinds - {weight}),
        weight,
        vocabulary,
        both_ways=directions == "both" or not directed,
    )
    parallel = any(graph.is_multigraph() for graph in graphs) and sum(
        graph.number_of_edges() - len({*graph.edges()}) for graph in graphs
    )
    said = {
        "the graphs are directed and are read so: messages run from source to target alone; the "
        "option directions=both makes every edge run in both.": directed and directions == "keep",
        f"{parallel} edges stand beside another between the same nodes: they became one, whose "
        "weight is their sum.": parallel,
    }
    read[2].extend(sentences(said))
    return NetworkxGraphs(*read)


def _graph_attributes(graphs: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the attributes of whole graphs as text, empty where a graph has none."""
    names = {name for graph in graphs for name in graph.graph if name not in HIDDEN}
    cells = {name: [graph.graph.get(name) for graph in graphs] for name in sorted(names, key=str)}
    return {
        str(name): tuple("" if cell is None else str(cell) for cell in column)
        for name, column in cells.items()
    }


def _columns(
    rows: Sequence[Row], ignored: Collection[str], categories: Collection[str]
) -> dict[str, pa.Array]:
    """Return attributes by name; a list of numbers is several, numbered from 0."""
    columns: dict[str, pa.Array] = {}
    for name in {name: None for _, own in rows for name in own if str(name) not in ignored}:
        cells = [own.get(name) for _, own in rows]
        parts = {str(name): cells}
        if isinstance(cells[0], list | tuple | np.ndarray):
            parts = _parts(str(name), cells)
        for part, own_cells in parts.items():
            plain = [int(cell) if isinstance(cell, bool | np.bool_) else cell for cell in own_cells]
            try:
                array = pa.array(plain)
            except (pa.ArrowException, OverflowError, TypeError, ValueError):
                array = None
            if array is None or pa.types.is_nested(array.type):
                kinds = [type(cell) for cell in own_cells]
                odd = next((row for row, kind in enumerate(kinds) if kind != kinds[0]), 0)
                raise SmixupError(
                    f"'{part}' is {shown(repr(own_cells[odd]))} at {rows[odd][0]}: an attribute is "
                    "numbers alone or text alone."
                )
            columns[part] = column_of(part, array, lambda row: rows[row][0], part in categories)
    return columns


def _parts(name: str, cells: Sequence[Any]) -> dict[str, list[Any]]:
    """Return an attribute that is a list of numbers as one attribute for each."""
    try:
        table = np.stack([np.asarray(cell) for cell in cells])
    except ValueError:
        table = np.zeros(0)
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise SmixupError(f"'{name}' must be a list of as many numbers everywhere.")
    digits = len(str(table.shape[1] - 1))
    return {f"{name}.{place:0{digits}}": part.tolist() for place, part in enumerate(table.T)}


def read_file(path: Path) -> Any:
    """Read one GraphML file as a networkx graph; no entity is ever expanded, nothing is fetched."""
    require_room(TIMES * path.stat().st_size, shown(path.name), "write an edge list instead")
    with readable(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a key without a type is text
        root = ElementTree.parse(path, ElementTree.XMLParser(target=_WithoutEntities())).getroot()
        for element in root.iter():
            if not element.tag.startswith("{"):
                element.tag = XMLNS + element.tag
        graphs = list(root.iter(f"{XMLNS}graph"))
        if root.tag != f"{XMLNS}graphml" or len(graphs) != 1:
            raise nx.NetworkXError(f"it holds {len(graphs)} graphs, where one is needed")
        reader = _StrictReader()
        graph = reader.make_graph(graphs[0], *reader.find_graphml_keys(root))
    for *_, data in graph.edges(data=True):
        data.pop("id", None)  # the number of the edge in its file
    return graph


class _WithoutEntities(ElementTree.TreeBuilder):
    def doctype(self, *_: object) -> NoReturn:
        raise ElementTree.ParseError("it declares a document type, which may hold entities")


class _StrictReader(GraphMLReader):
    """Refuses what networkx would take in silence."""

    def add_node(self, graph: Any, node: Any, keys: Any, defaults: Any) -> None:
        name = node.get("id")
        if name is None or name in graph:
            raise nx.NetworkXError(f"a node has no id, or the id '{shown(name)}' of another")
        super().add_node(graph, node, keys, defaults)

    def add_edge(self, graph: Any, edge: Any, keys: Any) -> None:
        ends = edge.get("source"), edge.get("target")
        for end in ends:
            if end not in graph:
                raise nx.NetworkXError(f"an edge has the end '{shown(end)}', which is no node")
        super().add_edge(graph, edge, keys)
