"""A table of edges of many graphs, beside a table of the graphs and, if need be, of their nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import NodeNames, counted, dataset_of, graphs_of
from smixup.datasets.readers.attributes import (
    Attributes,
    as_numbers,
    as_seen,
    as_texts,
    encode_both,
    filled,
    is_text,
    numbers_of,
)
from smixup.datasets.readers.labels import answers, beside, known_task, no_answers, rows_by_key
from smixup.datasets.readers.registry import names_of, options_of
from smixup.datasets.readers.tables import (
    advice_on,
    column_names,
    index_columns,
    is_parquet,
    read_arrays,
    require_column,
)
from smixup.errors import SmixupError, UsageError, require, shown

WHOLE = re.compile("0|[1-9][0-9]{0,17}")
DUPLICATES = ("refuse", "sum")

Integers = NDArray[np.int64]


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
    path, ends = Path(path), names_of(options["ends"])
    require(isinstance(options["directed"], bool), "directed", options["directed"], "true or false")
    require(options["duplicates"] in DUPLICATES, "duplicates", duplicates, " or ".join(DUPLICATES))
    require(len(ends) == 2, "ends", options["ends"], "two names of columns")
    edge_path = beside(path, ("edges",), options["edges"])
    if edge_path is None:
        raise UsageError(f"{path} holds no table edges.csv, edges.tsv or edges.parquet.")
    edge_table = Rows.read(edge_path, options, (options["graph"], *ends), options["weight"])
    node_path = beside(path, ("nodes",), options["nodes"])
    node_table = None
    if node_path is not None:
        node_table = Rows.read(node_path, options, (options["graph"], options["node"]))
    graph_path = beside(path, ("graphs", "labels"), options["labels"])
    if graph_path is not None:
        table, key = rows_by_key(graph_path, options["graph"])
        names = table[key]
        asked = options["target"], options["task"], like
        answered = answers(table, range(len(names)), key, *asked, graph_path.name)
    elif known_task(like) is None:
        raise UsageError(f"{path} holds no table graphs.csv with the targets of the graphs.")
    else:
        tables = (node_table, edge_table) if node_table is not None else (edge_table,)
        names = tuple(coded(*(rows.keys[options["graph"]] for rows in tables))[1])
        answered = no_answers(len(names), like, "")
    placed = (
        _nodes_of_edges(edge_table, names, options["graph"], ends)
        if node_table is None
        else _nodes_of_table(node_table, edge_table, names, options, ends)
    )
    doubled = _check_duplicates(edge_table, placed, options)
    vocabulary = None if like is None else like.vocabulary
    x, edge_attr, learned, notes = encode_both(
        placed.attributes, edge_table.attributes, vocabulary, names_of(options["categories"])
    )
    graphs = graphs_of(
        torch.from_numpy(placed.names.ptr),
        x if placed.order is None else x[torch.from_numpy(placed.order)],
        torch.from_numpy(placed.ends),
        edge_table.weight,
        edge_attr,
        both_ways=not options["directed"],
    )
    if placed.alone:
        notes.append(
            f"{counted(placed.alone, 'graph has', 'graphs have')} no edges, and without a table of "
            "nodes they are read as a single node."
        )
    if doubled:
        notes.append(
            f"{counted(doubled, 'edge was', 'edges were')} there before: weights are summed."
        )
    if options["directed"]:
        notes.append("edges are read as directed, from their first end to the second.")
    for rows in filter(None, (edge_table, node_table)):
        notes += rows.notes
    about = "edge-list", kept, learned, notes, names
    return dataset_of(path, graphs, answered, *about, placed.names)


@dataclass(frozen=True)
class Rows:
    """A table of edges or nodes.

    Attributes:
        path: of the table.
        keys: by column, the names of graphs and nodes, as text.
        weight: of edges, where there are weights.
        attributes: what else the table has.
        notes: on columns that are left out.
    """

    path: Path
    keys: Mapping[str, pa.Array]
    weight: Tensor | None
    attributes: Attributes
    notes: list[str]

    @classmethod
    def read(
        cls, path: Path, options: Mapping[str, Any], keys: Sequence[str], weight: str = ""
    ) -> Rows:
        """Read a table, whose columns `keys` hold names; no cell may be empty. The index of a data
        frame is left out: where rows stand in a file says nothing about nodes and edges.
        """

        def where(row: int) -> str:
            return f"row {row + 1} of {path.name}"

        present = column_names(path)
        for key in keys:
            require_column(path.name, key, present)
        categories = names_of(options["categories"])
        used = {*keys, weight, *categories}
        index = {*index_columns(present)} - used
        ignored = {*names_of(options["ignore"])} - used
        arrays = read_arrays(path, [name for name in present if name not in index | ignored])
        columns = {name: filled(name, _gaps(path, cells), where) for name, cells in arrays.items()}
        names = {key: as_texts(columns.pop(key)) for key in keys}
        weights = None
        if (cells := columns.pop(weight, None)) is not None:
            weights = numbers_of(weight, as_numbers(weight, cells, where), where)
            if len(zero := (weights == 0).nonzero()):
                raise SmixupError(f"{where(int(zero[0]))} has a weight of zero: remove it.")
        for name, cells in columns.items():
            columns[name] = as_texts(cells) if name in categories else as_seen(name, cells, where)
        notes = [
            f"'{name}' of {path.name} looks like the index of a data frame, and is left out: give "
            "the column a name of its own if it is a feature."
            for name in present
            if name in index - ignored
        ]
        return cls(path, names, weights, Attributes(columns, len(names[keys[0]]), where), notes)

    def graphs(self, column: str, names: Sequence[str]) -> Integers:
        """Return the place of the graph that each row names, `[m]`."""
        places = pc.index_in(self.keys[column], pa.array(names, pa.large_string()))
        if (odd := pc.index(places.is_null(), True).as_py()) >= 0:
            name = self.keys[column][odd].as_py()
            advice = advice_on(name, names, "add it there, or remove its rows here")
            raise SmixupError(
                f"{self.attributes.where(odd)} names the graph '{shown(name)}' in column "
                f"'{column}', which the table of graphs does not have: {advice}."
            )
        return np.asarray(places.to_numpy(), np.int64)


def _gaps(path: Path, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column in which empty texts are gaps."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not is_text(cells):
        return cells
    cells = cells if is_parquet(path) else pc.utf8_trim(cells, " ")
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)


def coded(*columns: pa.Array) -> tuple[list[Integers], list[str]]:
    """Return columns of text as places in the texts of all of them, which stand in order: by size
    if all are whole numbers, else by their letters.
    """
    encoded = pa.concat_arrays(columns).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    sizes = [int(text) for text in texts] if all(map(WHOLE.fullmatch, texts)) else texts
    order = np.array(sorted(range(len(texts)), key=sizes.__getitem__), np.int64)
    codes = np.argsort(order)[encoded.indices.to_numpy()]
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(codes, ends), [texts[place] for place in order]


@dataclass(frozen=True)
class Nodes:
    """The nodes of all graphs, in order, and the ends of edges among them.

    Attributes:
        names: what nodes are called.
        ends: `[2, m]`, counted over all graphs.
        attributes: of the rows of their table, which has none if there is no table.
        order: `[n]`, the row of each node in the table.
        alone: how many graphs got a node because nothing names one.
    """

    names: NodeNames
    ends: Integers
    attributes: Attributes
    order: Integers | None = None
    alone: int = 0


def _nodes_of_edges(
    edges: Rows, names: Sequence[str], graph_column: str, ends: Sequence[str]
) -> Nodes:
    """Return the nodes that edges name; a graph without edges has one without a name."""
    graph = edges.graphs(graph_column, names)
    codes, texts = coded(*(edges.keys[end] for end in ends))
    width = max(len(texts), 1)
    keys, places = np.unique(graph * width + np.stack(codes), return_inverse=True)
    sizes = np.bincount(keys // width, minlength=len(names))
    lonely = sizes == 0
    shift = np.cumsum(lonely) - lonely  # lonely nodes before those of each graph
    node_names = np.full(len(keys) + int(lonely.sum()), "", object)
    node_names[np.arange(len(keys)) + shift[keys // width]] = np.array(texts, object)[keys % width]
    return Nodes(
        NodeNames(np.cumsum([0, *(sizes + lonely)]), node_names),
        places.reshape(2, -1) + shift[graph],
        Attributes({}, len(node_names), str),
        alone=int(lonely.sum()),
    )


def _nodes_of_table(
    table: Rows,
    edges: Rows,
    names: Sequence[str],
    options: Mapping[str, Any],
    ends: Sequence[str],
) -> Nodes:
    """Return the nodes of a table, graph by graph in its order."""
    of_graph, graph = (rows.graphs(options["graph"], names) for rows in (table, edges))
    (own, *codes), texts = coded(table.keys[options["node"]], *(edges.keys[end] for end in ends))
    width = max(len(texts), 1)
    key = of_graph * width + own
    by_key = np.argsort(key, kind="stable")
    sorted_keys = key[by_key]
    if len(twice := np.flatnonzero(sorted_keys[1:] == sorted_keys[:-1])):
        first, second = by_key[twice[0]], by_key[twice[0] + 1]
        raise SmixupError(
            f"rows {first + 1} and {second + 1} of {table.path.name} are the same node "
            f"'{shown(texts[own[first]])}': keep one."
        )
    sizes = np.bincount(of_graph, minlength=len(names))
    if len(empty := np.flatnonzero(sizes == 0)):
        raise SmixupError(
            f"{table.path.name} has no node of the graph '{shown(names[empty[0]])}': add its "
            "nodes, or leave the graph out."
        )
    wanted = graph * width + np.stack(codes)
    places = np.searchsorted(sorted_keys, wanted).clip(max=max(len(key) - 1, 0))
    if (unknown := sorted_keys[places] != wanted).any():
        row = int(np.flatnonzero(unknown.any(0))[0])
        end = int(unknown[:, row].argmax())
        name, there = texts[codes[end][row]], [texts[code] for code in own[of_graph == graph[row]]]
        advice = advice_on(name, there, "add it there, or remove the edge")
        raise SmixupError(
            f"{edges.attributes.where(row)} names '{shown(name)}' in column '{ends[end]}', which "
            f"{table.path.name} does not have in the graph '{shown(names[graph[row]])}': {advice}."
        )
    order = np.argsort(of_graph, kind="stable")
    node_names = np.array(texts, object)[own[order]]
    return Nodes(
        NodeNames(np.cumsum([0, *sizes]), node_names),
        np.argsort(order)[by_key[places]],
        table.attributes,
        order,
    )


def _check_duplicates(edges: Rows, nodes: Nodes, options: Mapping[str, Any]) -> int:
    """Return how many edges are there more than once; refuse them unless they are to be summed."""
    ends = nodes.ends if options["directed"] else np.sort(nodes.ends, axis=0)
    key = ends[0] * int(nodes.names.ptr[-1]) + ends[1]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order][1:] == key[order][:-1])
    if not len(twice) or options["duplicates"] == "sum":
        return len(twice)
    first, second = order[twice[0]], order[twice[0] + 1]
    source, target = nodes.names.names[nodes.ends[:, first]]
    edge = (
        f"rows {first + 1} and {second + 1} of {edges.path.name} are the same edge of the graph "
        f"'{edges.keys[options['graph']][first]}', from '{source}' to '{target}'"
    )
    raise SmixupError(
        f"{edge}: remove one, or let the weights be summed by duplicates=sum."
        if nodes.ends[0, first] == nodes.ends[0, second]
        else f"{edge} and back: if the table has every edge in both directions, say "
        "directed=true, if they are two edges, duplicates=sum."
    )
