"""A table of edges of many graphs, beside a table of the graphs and, if need be, of their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.attribute_columns import Vocabulary, learn
from smixup.datasets.readers.edge_assembly import EDGES, NODES, assembled
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.datasets.readers.label_table import (
    Table,
    answers,
    beside,
    known_task,
    no_answers,
    rows_by_key,
)
from smixup.datasets.readers.node_table import NodeTable
from smixup.datasets.readers.options import names_of, options_of, require_one_of
from smixup.datasets.readers.streamed_table import read_columns
from smixup.datasets.readers.text_column import Texts
from smixup.errors import UsageError, require

DUPLICATES = ("refuse", "sum")


def read_edge_list(
    path: Path,
    like: Reading | None = None,
    edges: str | None = None,
    labels: str | None = None,
    nodes: str | None = None,
    graph: str = "graph",
    ends: Any = "source,target",
    node: str = "node",
    weight: str = "weight",
    target: Any = None,
    task: str = "",
    metric: str = "",
    categories: Any = None,
    ignore: Any = None,
    directed: bool = False,
    duplicates: str = "refuse",
) -> Dataset:
    """A folder with tables (`.csv`, `.tsv` or `.parquet`) of edges, graphs, and nodes.

    Example::

        edges.csv   graph,source,target,weight,kind      a row for every edge
        graphs.csv  graph,label                          a row for every graph, with its target
        nodes.csv   graph,node,size,colour               a row for every node; may be left out

    Names of graphs and nodes are any text. Without a table of nodes, the nodes of a graph are
    those that its edges name, in order: by size if all names are whole numbers, else by letters.
    A graph without edges needs a table of nodes, or has one node. Columns of nodes become
    features, other columns of edges `edge_attr`: numbers are columns, text is one-hot.

    Args:
        path: the folder.
        like: how files were read before.
        edges: the table of edges, if it is not called `edges`.
        labels: the table of graphs, if it is called neither `graphs` nor `labels`.
        nodes: the table of nodes, if it is not called `nodes`.
        graph: the column that names the graph, in all tables.
        ends: the two columns of edges that name their ends.
        node: the column of nodes that names the node.
        weight: the column of edges that is their weight.
        target: the target columns of the table of graphs.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        metric: what is reported; by default the usual one of the task.
        categories: columns of nodes and edges that are categories although they are numbers.
        ignore: columns of nodes and edges to leave out.
        directed: whether an edge runs from its first end to the second alone; a table that has
            every edge in both directions is read so, too.
        duplicates: `refuse` an edge that is there twice, or `sum` the weights.
    """
    options, kept = options_of(read_edge_list, locals(), like)
    path = Path(path)
    require(isinstance(options["directed"], bool), "directed", options["directed"], "true or false")
    require_one_of("duplicates", options["duplicates"], DUPLICATES)
    edge_path = _required(beside(path, ("edges",), options["edges"]), path, "edges")
    graph_path = beside(path, ("graphs", "labels"), options["labels"])
    node_path = beside(path, ("nodes",), options["nodes"])
    table = EdgeTable.read(edge_path, options)
    names, rows_of_graphs = _graph_names(table, graph_path, node_path, options, like)
    found_nodes = NodeTable.of(table, node_path, names, options)
    vocabulary = like.vocabulary if like is not None else _learned(table, found_nodes, options)
    graphs, notes = assembled(table, found_nodes, vocabulary, options)
    if rows_of_graphs is None or graph_path is None:
        answered = no_answers(len(names), like, "")
    else:
        asked = options["target"], options["task"], like
        answered = answers(
            rows_of_graphs, range(len(names)), options["graph"], *asked, graph_path.name
        )
    kept_vocabulary = {name: dict(vocabulary[name]) for name in (NODES, EDGES)}
    about = "edge-list", kept, kept_vocabulary, notes, names
    return dataset_of(path, graphs, answered, *about, found_nodes.names)


def _required(path: Path | None, folder: Path, stem: str) -> Path:
    if path is None:
        raise UsageError(f"{folder} holds no table {stem}.csv, {stem}.tsv or {stem}.parquet.")
    return path


def _graph_names(
    table: EdgeTable,
    graph_path: Path | None,
    node_path: Path | None,
    options: Mapping[str, Any],
    like: Reading | None,
) -> tuple[list[str], Table | None]:
    """Return the names of the graphs in order, and their table; without one, for predictions, the
    graphs are those that nodes or edges name.
    """
    if graph_path is not None:
        rows, _, names = rows_by_key(graph_path, options["graph"])
        return list(names), rows
    if known_task(like) is None:
        raise UsageError(
            f"{table.path.parent} holds no table graphs.csv with the targets of the graphs."
        )
    found_names = table.graph.texts()
    if node_path is not None:
        found = read_columns(node_path, {options["graph"]: False})[options["graph"]]
        assert isinstance(found, Texts)
        found_names = list(dict.fromkeys([*found.texts(), *found_names]))
    return found_names, None


def _learned(
    table: EdgeTable, nodes: NodeTable, options: Mapping[str, Any]
) -> dict[str, Vocabulary]:
    categories = names_of(options["categories"])
    return {NODES: learn(nodes.columns, categories), EDGES: learn(table.columns, categories)}
