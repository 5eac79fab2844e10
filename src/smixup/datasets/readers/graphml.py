"""Graphs as GraphML files, one each."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import networkx as nx
from networkx.readwrite.graphml import GraphMLReader

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import NodeNames, dataset_of
from smixup.datasets.readers.labels import answers, beside, matched_rows, no_answers
from smixup.datasets.readers.networkx_graphs import graph_attributes, read_networkx
from smixup.datasets.readers.registry import options_of
from smixup.errors import SmixupError, shown
from smixup.memory import require_room
from smixup.ranges import number_of, whole_number_of

TIMES = 20
"""A graph takes some twenty times as much memory as its file while networkx reads it."""
XMLNS = f"{{{GraphMLReader.NS_GRAPHML}}}"
NUMBERS = {
    **dict.fromkeys(("int", "integer", "long"), whole_number_of),
    **dict.fromkeys(("float", "double"), number_of),
}
"""By type of an attribute, who reads its values."""
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
    names = [file.name for file in files]
    graphs = [read_file(file) for file in files]
    read = read_networkx(
        graphs,
        names,
        None if like is None else like.vocabulary,
        **{name: options[name] for name in ("weight", "categories", "ignore", "directions")},
    )
    beside_them = None if path.is_file() else beside(path, ("labels",), options["labels"])
    asked = options["target"], options["task"], like
    attributes = {"file": tuple(names), **graph_attributes(graphs)}
    if beside_them is not None:
        table, key, rows = matched_rows(beside_them, names, options["key"], "file")
        answered = answers(table, rows, key, *asked, beside_them.name)
    elif len(attributes) > 1:
        every = range(len(graphs))
        answered = answers(attributes, every, "file", *asked, "the attributes of the graphs")
    else:
        answered = no_answers(
            len(graphs),
            like,
            "put a table labels.csv beside the files (columns file and target), or give every "
            "graph an attribute.",
        )
    about = "graphml", kept, read.vocabulary, read.notes, names
    return dataset_of(path, read.graphs, answered, *about, NodeNames.listed(graphs))


def read_file(path: Path) -> Any:
    """Read one GraphML file as a networkx graph; no entity is ever expanded, nothing is fetched."""
    require_room(TIMES * path.stat().st_size, shown(path.name), "write an edge list instead")
    try:
        root = ElementTree.parse(path, ElementTree.XMLParser(target=_WithoutEntities())).getroot()
        for element in root.iter():
            if not element.tag.startswith("{"):
                element.tag = XMLNS + element.tag
        graph_element = _checked(root)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a key without a type is text
            reader = GraphMLReader()
            graph = reader.make_graph(graph_element, *reader.find_graphml_keys(root))
    except UNREADABLE as reason:
        words = shown(str(reason).rstrip("."), 200)
        raise SmixupError(f"{shown(path.name)} cannot be read as GraphML: {words}.") from reason
    if graph.number_of_edges() != len(graph_element.findall(f"{XMLNS}edge")):
        raise SmixupError(f"{shown(path.name)} has several edges of one id: give each its own.")
    for *_, data in graph.edges(data=True):
        data.pop("id", None)  # the number of the edge in its file
    return graph


class _WithoutEntities(ElementTree.TreeBuilder):
    def doctype(self, *_: object) -> NoReturn:
        raise ElementTree.ParseError("it declares a document type, which may hold entities")


def _checked(root: Any) -> Any:
    """Return the graph of a file; refuse what networkx would take in silence."""
    graphs = list(root.iter(f"{XMLNS}graph"))
    if root.tag != f"{XMLNS}graphml" or len(graphs) != 1:
        raise nx.NetworkXError(f"it holds {len(graphs)} graphs, where one is needed")
    nodes = Counter(node.get("id") for node in root.iter(f"{XMLNS}node"))
    for node, times in nodes.items():
        if node is None or times > 1:
            which = "no id" if node is None else f"the id '{shown(node)}' of another"
            raise nx.NetworkXError(f"a node has {which}")
    for edge in root.iter(f"{XMLNS}edge"):
        for end in ("source", "target"):
            if edge.get(end) not in nodes:
                raise nx.NetworkXError(f"an edge has the {end} '{shown(edge.get(end))}', no node")
    keys = {key.get("id"): key for key in root.iter(f"{XMLNS}key")}
    for owner in root.iter():
        for value in owner:
            key = keys.get(value.get("key", owner.get("id")), {})
            reads = NUMBERS.get(key.get("attr.type"))
            if reads is not None and value.text and reads(value.text) is None:
                raise nx.NetworkXError(
                    f"'{shown(key.get('attr.name'))}' of {owner.get('id', 'the graph')} is "
                    f"'{shown(value.text.strip())}', which is no {key.get('attr.type')}"
                )
    return graphs[0]
