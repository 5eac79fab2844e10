"""networkx graphs, from Python or from GraphML files, one each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pyarrow as pa
import torch
from networkx.readwrite.graphml import GraphMLReader

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import counted, dataset_of
from smixup.datasets.readers.attributes import (
    Where,
    as_numbers,
    as_texts,
    attributed_graphs,
    filled,
    is_number,
    is_text,
)
from smixup.datasets.readers.labels import Answers, answers, beside, matched_rows, no_answers
from smixup.datasets.readers.registry import names_of, options_of
from smixup.errors import SmixupError, require, shown
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets
from smixup.memory import require_room
from smixup.settings import number_of, whole_number_of

OPTIONS = ("weight", "categories", "ignore", "directions")
TIMES = 20
"""A graph takes some twenty times as much memory as its file while networkx reads it."""
XMLNS = f"{{{GraphMLReader.NS_GRAPHML}}}"
UNREADABLE = (
    *(nx.NetworkXError, ElementTree.ParseError, ValueError, LookupError, TypeError),
    *(AttributeError, RecursionError),
)
"""What networkx raises where a file is damaged."""
HIDDEN = ("node_default", "edge_default")
"""What networkx keeps of GraphML among the attributes of a graph."""
VECTORS = (list, tuple, np.ndarray)


def read_graphml(
    path: Path,
    like: Reading | None = None,
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
        path: the folder, or one file.
        like: how files were read before.
        labels: the table, if it is called otherwise.
        key: its column that names files, with or without ending; None is the first.
        target: the target columns, or attributes of the graphs.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        metric: what is reported; by default the usual one of the task.
        weight: the attribute of edges that is their weight.
        categories: attributes that are categories although they are numbers.
        ignore: attributes of nodes and edges to leave out.
        directions: of directed graphs: `keep` them, or make every edge run in `both`.
    """
    options, kept = options_of(read_graphml, locals(), like)
    path = Path(path)
    files = [path] if path.is_file() else sorted(filter(Path.is_file, path.glob("*.graphml")))
    if not files:
        raise SmixupError(f"{path} holds no GraphML files.")
    names = tuple(file.name for file in files)
    graphs = [read_file(file) for file in files]
    labels_path = None if path.is_file() else beside(path, ("labels",), options["labels"])
    attributes = {"file": names, **graph_attributes(graphs)}
    asked = options["target"], options["task"], like
    answered: Answers | None = None
    if labels_path is not None:
        table, key, rows = matched_rows(labels_path, names, options["key"])
        answered = answers(table, rows, key, *asked, labels_path.name)
    elif len(attributes) > 1:
        rows = list(range(len(graphs)))
        answered = answers(attributes, rows, "file", *asked, "the attributes of the graphs")
    return networkx_dataset(path, graphs, names, answered, options, kept, like)


def networkx_dataset(
    path: Path,
    graphs: Sequence[Any],
    names: Sequence[str],
    answered: Answers | None,
    options: Mapping[str, Any],
    kept: Mapping[str, Any],
    like: Reading | None,
) -> Dataset:
    """Return networkx graphs of these names as a dataset, with their targets if there are any;
    `kept` are those options of `read_graphml` that were given.
    """
    asked = {name: options[name] for name in OPTIONS}
    read = read_networkx(graphs, names, None if like is None else like.vocabulary, **asked)
    advice = "put a table labels.csv beside files, give y=[...], or name an attribute by target=..."
    answered = answered or no_answers(len(graphs), like, advice)
    reading = Reading("graphml", kept, read.vocabulary)
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


def _check(graphs: Sequence[Any], names: Sequence[str], directions: str) -> None:
    if not graphs:
        raise SmixupError("there are no graphs.")
    for graph, name in zip(graphs, names, strict=True):
        if not isinstance(graph, nx.Graph):
            kind = type(graph).__name__
            raise SmixupError(f"{name} is a {kind}, where a networkx graph is needed.")
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


def read_file(path: Path) -> Any:
    """Read one GraphML file as a networkx graph; no entity is ever expanded, nothing is fetched."""
    require_room(TIMES * path.stat().st_size, shown(path.name), "write an edge list instead")
    try:
        root = ElementTree.parse(path, ElementTree.XMLParser(target=_WithoutEntities())).getroot()
        for element in root.iter():
            if not element.tag.startswith("{"):
                element.tag = XMLNS + element.tag
        graphs = list(root.iter(f"{XMLNS}graph"))
        if root.tag != f"{XMLNS}graphml" or len(graphs) != 1:
            raise nx.NetworkXError(f"it holds {len(graphs)} graphs, where one is needed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a key without a type is text
            reader = _StrictReader()
            graph = reader.make_graph(graphs[0], *reader.find_graphml_keys(root))
    except UNREADABLE as reason:
        words = shown(str(reason).rstrip("."), 200)
        raise SmixupError(f"{shown(path.name)} cannot be read as GraphML: {words}.") from reason
    for *_, data in graph.edges(data=True):
        data.pop("id", None)  # the number of the edge in its file
    return graph


class _WithoutEntities(ElementTree.TreeBuilder):
    def doctype(self, *_: object) -> NoReturn:
        raise ElementTree.ParseError("it declares a document type, which may hold entities")


class _StrictReader(GraphMLReader):
    """Refuses what networkx would take in silence."""

    def construct_types(self) -> None:
        super().construct_types()
        strict = {int: partial(_number, whole_number_of), float: partial(_number, number_of)}
        self.python_type = {name: strict.get(kind, kind) for name, kind in self.python_type.items()}

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
        before = graph.number_of_edges(*ends)
        super().add_edge(graph, edge, keys)
        if graph.number_of_edges(*ends) == before:
            raise nx.NetworkXError(f"two edges have the id '{shown(edge.get('id'))}'")

    def decode_data_elements(self, keys: Any, owner: Any) -> Any:
        try:
            return super().decode_data_elements(keys, owner)
        except ValueError as reason:
            place = owner.get("id", "the graph")
            raise nx.NetworkXError(f"in {shown(place)}, {reason}") from reason


def _number(reads: Callable[[str], float | None], text: str) -> float:
    number = reads(text)
    if number is None:
        raise ValueError(f"'{shown(text.strip())}' is no number of its type")
    return number
