"""Graphs as GraphML files, one each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

import networkx as nx

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import NodeNames, dataset_of
from smixup.datasets.readers.labels import Answers, answers, beside, matched_rows, no_answers
from smixup.datasets.readers.networkx_graphs import graph_attributes, read_networkx
from smixup.datasets.readers.registry import options_of
from smixup.errors import SmixupError
from smixup.memory import require_room
from smixup.shown import number_of, shown, whole_number_of

TIMES = 20
"""A graph takes some twenty times as much memory as its file while networkx reads it."""

NUMBERS: dict[str, tuple[str, Callable[[str], float | None]]] = {
    **dict.fromkeys(("int", "integer", "long"), ("a whole number", whole_number_of)),
    **dict.fromkeys(("float", "double"), ("a number", number_of)),
}
"""By type of an attribute, what its values must be, and who reads them."""

UNREADABLE = (
    *(nx.NetworkXError, ParseError, ValueError, LookupError, TypeError, AttributeError),
    RecursionError,
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
    found = read_networkx(
        graphs,
        names,
        None if like is None else like.vocabulary,
        *(options[name] for name in ("weight", "categories", "ignore", "directions")),
    )
    folder = path.parent if path.is_file() else path
    beside_them = None if path.is_file() else beside(folder, ("labels",), options["labels"])
    answered = _answers(graphs, names, beside_them, options, like)
    return dataset_of(
        path,
        found.graphs,
        answered,
        "graphml",
        kept,
        found.vocabulary,
        found.notes,
        names,
        NodeNames.listed(graphs),
    )


def _answers(
    graphs: Sequence[Any],
    names: Sequence[str],
    labels: Path | None,
    options: dict[str, Any],
    like: Reading | None,
) -> Answers:
    asked = options["target"], options["task"], like
    if labels is not None:
        table, key, rows = matched_rows(labels, names, options["key"], "file")
        return answers(table, rows, key, *asked, labels.name)
    table = {"file": tuple(names), **graph_attributes(graphs)}
    if len(table) == 1:
        return no_answers(
            len(graphs),
            like,
            "put a table labels.csv beside the files (columns file and target), or give every "
            "graph an attribute.",
        )
    return answers(table, range(len(graphs)), "file", *asked, "the attributes of the graphs")


def read_file(path: Path) -> Any:
    """Read one GraphML file as a networkx graph; no entity is ever expanded, nothing is fetched."""
    require_room(TIMES * path.stat().st_size, shown(path.name), "write an edge list instead")
    _Checker(path).check()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a key without a type is text
            graph = nx.read_graphml(path)
    except UNREADABLE as reason:
        words = shown(str(reason).rstrip("."), 200)
        raise SmixupError(f"{shown(path.name)} cannot be read as GraphML: {words}.") from reason
    for *_, data in graph.edges(data=True):
        data.pop("id", None)  # the number of the edge in its file
    return graph


class _Checker:
    """Goes through a file before networkx does, and refuses what that would take in silence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.nodes: set[str] = set()
        self.ends: list[tuple[str, int]] = []
        self.root, self.graphs, self.directed = "", 0, False
        self.types: dict[str, tuple[str, str]] = {}  # of each key, its name and type
        self.key, self.text, self.inside = "", "", False
        # Of each key, the first value that is no number, and the first that is no whole one: of
        # which type an attribute is may stand behind its values.
        self.odd: dict[tuple[str, object], tuple[str, int]] = {}
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def check(self) -> None:
        name = shown(self.path.name)
        try:
            with self.path.open("rb") as file:
                self.parser.ParseFile(file)
        except (LookupError, ValueError) as reason:
            raise SmixupError(f"{name} is in an unknown encoding.") from reason
        except expat.ExpatError as reason:
            words = expat.errors.messages[reason.code]
            raise SmixupError(f"{name} is no XML: {words} in line {reason.lineno}.") from reason
        if not self.graphs:
            raise SmixupError(f"{name} holds no graph of GraphML.")
        for node, line in self.ends:
            if node not in self.nodes:
                self._refuse(
                    f"has an edge at node '{shown(node)}', which the file does not have.", line
                )
        for key, (attribute, kind) in self.types.items():
            needed, reads = NUMBERS.get(kind, ("", None))
            if (key, reads) in self.odd:
                text, line = self.odd[key, reads]
                self._refuse(
                    f"has '{shown(text.strip())}' as attribute '{shown(attribute)}', where "
                    f"{needed} is needed.",
                    line,
                )

    def _doctype(self, *_: Any) -> None:
        self._refuse("declares a document type, which may hold entities: remove it.")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(" ")[2]
        self.root = self.root or name
        if self.root != "graphml":
            self._refuse(f"begins with <{shown(name)}>, where GraphML has <graphml>.")
        if name == "graph":
            self.graphs += 1
            self.directed = attributes.get("edgedefault") == "directed"
            if self.graphs > 1:
                self._refuse("begins a second graph: write one graph into each file.")
        elif name == "hyperedge":
            self._refuse("has a hyperedge: only edges between two nodes can be read.")
        elif name == "node":
            node = attributes.get("id")
            if node is None or node in self.nodes:
                which = "without id" if node is None else f"{shown(repr(node))} again"
                self._refuse(f"has a node {which}: give every node an id of its own.")
            self.nodes.add(node)
        elif name == "key":
            self.key = attributes.get("id", "")
            self.types[self.key] = (
                attributes.get("attr.name", self.key),
                attributes.get("attr.type", ""),
            )
        elif name in ("data", "default"):
            self.key = attributes.get("key", self.key if name == "default" else "")
            self.text, self.inside = "", True
        elif name == "edge":
            if attributes.get("directed") == ("false" if self.directed else "true"):
                kinds = ["a directed", "an undirected"]
                one, other = reversed(kinds) if self.directed else kinds
                self._refuse(f"has {one} edge in {other} graph: write all edges alike.")
            for end in ("source", "target"):
                if end not in attributes:
                    self._refuse(f"has an edge without {end}.")
                self.ends.append((attributes[end], self.parser.CurrentLineNumber))

    def _characters(self, text: str) -> None:
        if self.inside:
            self.text += text

    def _end(self, element: str) -> None:
        if element.rpartition(" ")[2] in ("data", "default"):
            self.inside = False
            for reads in (number_of, whole_number_of):
                if self.text and reads(self.text) is None:
                    self.odd.setdefault(
                        (self.key, reads), (self.text, self.parser.CurrentLineNumber)
                    )

    def _refuse(self, what: str, line: int | None = None) -> NoReturn:
        line = line or self.parser.CurrentLineNumber
        raise SmixupError(f"line {line} of {self.path.name} {what}")
