"""A table of edges of many graphs, beside a table of the graphs and, if need be, of their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import counted, dataset_of, graphs_of, unseen
from smixup.datasets.readers.attributes import Vocabulary, encode, learn
from smixup.datasets.readers.edge_tables import EdgeTable, NodeTable, Texts, left_out, read_columns
from smixup.datasets.readers.labels import (
    answers,
    beside,
    known_task,
    no_answers,
    rows_by_key,
)
from smixup.datasets.readers.registry import names_of, options_of, require_one_of
from smixup.datasets.readers.tables import Table
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets

DUPLICATES = ("refuse", "sum")
NODES, EDGES = "nodes", "edges"  # where a vocabulary keeps what their columns become


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
    graphs, notes = _assembled(table, found_nodes, vocabulary, options)
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
    found_names = list(table.graph.values)
    if node_path is not None:
        found = read_columns(node_path, {options["graph"]: False})[options["graph"]]
        assert isinstance(found, Texts)
        found_names = list(dict.fromkeys([*found.values, *found_names]))
    return found_names, None


def _learned(
    table: EdgeTable, nodes: NodeTable, options: Mapping[str, Any]
) -> dict[str, Vocabulary]:
    categories = names_of(options["categories"])
    return {NODES: learn(nodes.columns, categories), EDGES: learn(table.columns, categories)}


def _assembled(
    table: EdgeTable,
    nodes: NodeTable,
    vocabulary: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Graphs, list[str]]:
    """Return graphs without targets, and what to tell of them.

    Args:
        table: of edges.
        nodes: of all graphs.
        vocabulary: what columns became, see `attribute_columns.learn`.
        options: those of `read_edge_list`.
    """
    total = int(nodes.sizes.sum())
    notes: list[str] = []
    x, odd_nodes = encode(nodes.columns, vocabulary[NODES], total, nodes.where)
    attributes, odd_edges = encode(table.columns, vocabulary[EDGES], len(table), table.where)
    if nodes.order is not None:
        x = x[torch.from_numpy(nodes.order)]
    doubled = _check_duplicates(table, nodes, total, options)
    ends = torch.from_numpy(np.stack([nodes.source, nodes.target]))
    back = torch.zeros(0, dtype=torch.long)
    if not options["directed"]:
        back = (ends[0] != ends[1]).nonzero().squeeze(1)
    row = torch.cat([torch.arange(len(table)), back])
    graphs = graphs_of(
        offsets(torch.from_numpy(nodes.sizes)),
        x,
        torch.cat([ends, ends[:, back].flip(0)], 1),
        None if table.weight is None else torch.from_numpy(table.weight).float()[row],
        attributes[row],
    )
    notes += [*unseen(odd_nodes, NODES), *unseen(odd_edges, EDGES)]
    if nodes.alone:
        notes.append(
            f"{counted(nodes.alone, 'graph has', 'graphs have')} no edges, and without a table of "
            "nodes they are read as a single node."
        )
    if doubled:
        notes.append(
            f"{counted(doubled, 'edge was', 'edges were')} there before: weights are summed."
        )
    if options["directed"]:
        notes.append("edges are read as directed, from their first end to the second.")
    for path in filter(None, (table.path, nodes.path)):
        notes += left_out(path, options)
    for what, columns in ((NODES, nodes.columns), (EDGES, table.columns)):
        notes += [
            f"the column '{name}' of {what} is left out: the files read before have none."
            for name in columns
            if name not in vocabulary[what]
        ]
    return graphs, notes


def _check_duplicates(
    table: EdgeTable, nodes: NodeTable, total: int, options: Mapping[str, Any]
) -> int:
    """Return how many edges are there more than once; refuse them unless they are to be summed."""
    low, high = nodes.source, nodes.target
    if not options["directed"]:
        low, high = np.minimum(low, high), np.maximum(low, high)
    key = low * total + high
    ordered = np.sort(key)
    doubled = int((ordered[1:] == ordered[:-1]).sum())
    if not doubled or options["duplicates"] == "sum":
        return doubled
    order = np.argsort(key, kind="stable")
    place = int(np.flatnonzero(key[order][1:] == key[order][:-1])[0])
    first, second = int(order[place]), int(order[place + 1])
    turned = nodes.source[first] != nodes.source[second]
    edge = (
        f"rows {first + 1} and {second + 1} of {table.path.name} are the same edge of the graph "
        f"'{table.graph.at(first)}', from '{table.source.at(first)}' to '{table.target.at(first)}'"
    )
    raise SmixupError(
        f"{edge} and back: if the table has every edge in both directions, say directed=true, if "
        "they are two edges, duplicates=sum."
        if turned
        else f"{edge}: remove one, or let the weights be summed by duplicates=sum."
    )
