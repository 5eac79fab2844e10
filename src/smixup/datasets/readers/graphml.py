"""Graphs as GraphML files, one each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import networkx as nx
from networkx.readwrite.graphml import GraphMLReader

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.labels import Answers, answers, beside, matched_rows, no_answers
from smixup.datasets.readers.networkx_graphs import graph_attributes, node_names, read_networkx
from smixup.datasets.readers.registry import options_of
from smixup.errors import SmixupError, shown
from smixup.memory import require_room
from smixup.ranges import number_of, whole_number_of

OPTIONS = ("weight", "categories", "ignore", "directions")
TIMES = 20
"""A graph takes some twenty times as much memory as its file while networkx reads it."""
XMLNS = f"{{{GraphMLReader.NS_GRAPHML}}}"
UNREADABLE = (
    *(nx.NetworkXError, ElementTree.ParseError, ValueError, LookupError, TypeError),
    *(AttributeError, RecursionError),
)
"""What networkx raises where a file is damaged."""


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
    return dataset_of(path, read.graphs, answered, reading, read.notes, names, node_names(graphs))


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
