"""networkx graphs, from Python or from GraphML files, one each."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow as pa
import pyarrow.compute as pc
import torch
from networkx.readwrite.graphml import GraphMLReader

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of, sentences
from smixup.datasets.readers.attributes import Attributed, attributed_graphs, column_of
from smixup.datasets.readers.labels import (
    answers,
    answers_beside,
    answers_of_array,
    beside,
)
from smixup.datasets.readers.registry import names_of, options_of
from smixup.datasets.tables import readable
from smixup.errors import SmixupError, require, shown
from smixup.graphs.ragged import offsets

OPTIONS = ("weight", "categories", "ignore", "directions")
DEFAULTS = ("node_default", "edge_default")
"""Where networkx keeps what a GraphML file says of all nodes and edges."""
XMLNS = GraphMLReader.NS_GRAPHML

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
    table_path = None
    if isinstance(path, Path):
        files = [path] if path.is_file() else sorted(path.glob("*.graphml"))
        names, graphs = [file.name for file in files], [read_file(file) for file in files]
        table_path = beside(path, ("labels",), options["labels"]) if path.is_dir() else None
    else:
        graphs, names = path, [f"graph {place}" for place in range(len(path))]
    vocabulary = None if like is None else like.vocabulary
    read = read_networkx(graphs, names, vocabulary, **{name: options[name] for name in OPTIONS})
    attributes = _graph_attributes(graphs)
    if y is not None:
        answered = answers_of_array(y, len(graphs), options["task"], like, attributes)
    elif not table_path and attributes and (isinstance(path, Path) or options["target"]):
        where = "the attributes of the graphs"
        table = {"file": tuple(names)} | attributes
        answered = answers(table, range(len(graphs)), "file", options, like, where)
    else:
        advice = "put a table labels.csv beside files, give y=[...], or name an attribute: target=."
        answered = answers_beside(table_path, names, len(graphs), options, like, advice)
    reading = Reading("graphml", options, read.vocabulary)
    node_names = [tuple(map(str, graph)) for graph in graphs]
    return dataset_of(path, read.graphs, answered, reading, read.notes, names, node_names)


def read_networkx(
    graphs: Sequence[Any],
    names: Sequence[str],
    vocabulary: Mapping[str, Any] | None = None,
    weight: str = "weight",
    categories: Any = None,
    ignore: Any = None,
    directions: str = "keep",
) -> Attributed:
    """Return networkx graphs of any class as `Graphs`: attributes of nodes become features and
    those of edges `edge_attr`; numbers are columns, text is one-hot. An undirected edge is an edge
    in both directions. `names` are for errors, `vocabulary` is what attributes became in graphs
    read before, if there were any; for the rest see `read_graphml`.
    """
    require(directions in ("keep", "both"), "directions", directions, "keep or both")
    nodes: list[Row] = []
    edges: list[Row] = []
    ends: list[tuple[int, int]] = []
    for graph, name in zip(graphs, names, strict=True):
        if not isinstance(graph, nx.Graph) or not len(graph):
            found = "empty" if isinstance(graph, nx.Graph) else type(graph).__name__
            raise SmixupError(f"{name} is {found}, where a networkx graph with nodes is needed.")
        if directions == "keep" and graph.is_directed() != graphs[0].is_directed():
            raise SmixupError(
                f"of {names[0]} and {name}, one is directed and the other is not: make all alike, "
                "or let every edge run in both directions by the option directions=both."
            )
        place = {node: len(nodes) + index for index, node in enumerate(graph)}
        of_node, of_edge = (graph.graph.get(default, {}) for default in DEFAULTS)
        nodes += [(f"node '{u}' of {name}", of_node | own) for u, own in graph.nodes(data=True)]
        for u, v, own in graph.edges(data=True):
            edges.append((f"the edge from '{u}' to '{v}' of {name}", of_edge | own))
            ends.append((place[u], place[v]))
    directed = any(graph.is_directed() for graph in graphs)
    ignored, kinds = set(names_of(ignore)), set(names_of(categories))
    read = attributed_graphs(
        offsets(torch.tensor([len(graph) for graph in graphs])),
        torch.tensor(ends, dtype=torch.long).view(-1, 2).T,
        _columns(nodes, ignored, kinds),
        _columns(edges, ignored - {weight}, kinds - {weight}),
        weight,
        vocabulary,
        both_ways=directions == "both" or not directed,
    )
    parallel = sum(
        graph.number_of_edges() - len({*graph.edges()}) for graph in graphs if graph.is_multigraph()
    )
    said = {
        "the graphs are directed and are read so: messages run from source to target alone; the "
        "option directions=both makes every edge run in both.": directed and directions == "keep",
        f"{parallel} edges stand beside another between the same nodes: they became one, whose "
        "weight is their sum.": parallel,
    }
    return read._replace(notes=[*read.notes, *sentences(said)])


def _graph_attributes(graphs: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the attributes of whole graphs as text, empty where a graph has none."""
    names = sorted({*(name for graph in graphs for name in graph.graph)} - {*DEFAULTS}, key=str)
    return {str(name): tuple(str(graph.graph.get(name, "")) for graph in graphs) for name in names}


def _columns(
    rows: Sequence[Row], ignored: Collection[str], categories: Collection[str]
) -> dict[str, pa.Array]:
    """Return the attributes of nodes or edges by name."""
    columns: dict[str, pa.Array] = {}
    for name in {name: None for _, own in rows for name in own if str(name) not in ignored}:
        for part, array in _arrays(str(name), [own.get(name) for _, own in rows], rows).items():
            columns[part] = column_of(part, array, lambda row: rows[row][0], part in categories)
    return columns


def _arrays(name: str, cells: Sequence[Any], rows: Sequence[Row]) -> dict[str, pa.Array]:
    """Return an attribute as a column; lists are several, numbered from 0."""
    try:
        array = pa.array([int(cell) if isinstance(cell, bool) else cell for cell in cells])
        parts = {name: array}
        if pa.types.is_list(array.type):
            (width,) = pc.unique(pc.list_value_length(array)).to_pylist()
            names = [f"{name}.{place:0{len(str(width - 1))}}" for place in range(width)]
            parts = {part: pc.list_element(array, place) for place, part in enumerate(names)}
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        parts = {}
    if not parts or any(pa.types.is_nested(part.type) for part in parts.values()):
        kinds = [type(cell) for cell in cells]
        odd = next((row for row, kind in enumerate(kinds) if kind != kinds[0]), 0)
        raise SmixupError(
            f"'{name}' is {shown(repr(cells[odd]))} at {rows[odd][0]}: an attribute is numbers "
            "alone, text alone, or lists of as many numbers."
        )
    return parts


def read_file(path: Path) -> Any:
    """Read one GraphML file as a networkx graph, and refuse what networkx would take in silence."""
    reader = GraphMLReader()
    with readable(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a key without a type is text
        text = path.read_bytes().replace(b"<graphml>", f'<graphml xmlns="{XMLNS}">'.encode())
        if b"<!DOCTYPE" in text:  # entities could name other files, or grow without end
            raise nx.NetworkXError("it has a document type, which GraphML does not need")
        graphs = list(reader(string=text))
        number = len([*reader.xml.iter(f"{{{XMLNS}}}graph")])  # also one within another
        if not graphs or number > 1:
            raise nx.NetworkXError(f"it holds {number} graphs, where one is needed")
    graph = graphs[0]
    declared = Counter(node.get("id") for node in reader.xml.iter(f"{{{XMLNS}}}node"))
    if odd := [node for node in (*graph, *declared) if declared[node] != 1 or node not in graph]:
        raise SmixupError(
            f"{path.name} has {declared[odd[0]]} nodes with the id '{shown(odd[0])}', where one is "
            "needed."
        )
    for *_, data in graph.edges(data=True):
        data.pop("id", None)  # the number of the edge in its file
    return graph
