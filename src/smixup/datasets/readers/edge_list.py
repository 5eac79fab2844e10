"""A table of edges of many graphs, beside a table of the graphs and, if need be, of their nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from numpy.typing import NDArray

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of, sentences
from smixup.datasets.readers.attributes import attributed_graphs, column_of, is_text
from smixup.datasets.readers.labels import answers, beside, no_answers, rows_by_key
from smixup.datasets.readers.registry import names_of, options_of
from smixup.datasets.tables import is_index, is_parquet, read_arrays, require_column
from smixup.errors import SmixupError, UsageError, require, shown

WHOLE = re.compile("0|[1-9][0-9]{0,17}")
DUPLICATES = ("refuse", "sum")

Integers = NDArray[np.int64]


def read_edge_list(
    path: Path,
    like: Reading | None = None,
    labels: str | None = None,
    graph: str = "graph",
    ends: Any = "source,target",
    node: str = "node",
    weight: str = "weight",
    target: Any = None,
    task: str = "",
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
    those that its edges name, whole numbers by size, then other names by letters; a graph without
    edges needs a table of nodes. Columns of nodes become features, other columns of edges
    `edge_attr`: numbers are columns, text is one-hot.

    Args:
        path: the folder.
        graph: the column that names the graph, in all tables.
        ends: the two columns of edges that name their ends.
        node: the column of nodes that names the node.
        directed: whether an edge runs from its first end to the second alone; a table that has
            every edge in both directions is read so, too.
        duplicates: `refuse` an edge that is there twice, or `sum` the weights.
        like, labels, ...: see `readers.registry`.
    """
    options = options_of(read_edge_list, locals(), like)
    path, ends, directed = Path(path), names_of(options["ends"]), options["directed"]
    require(isinstance(directed, bool), "directed", directed, "true or false")
    require(options["duplicates"] in DUPLICATES, "duplicates", duplicates, " or ".join(DUPLICATES))
    require(len(ends) == 2, "ends", options["ends"], "two names of columns")
    graph = options["graph"]
    edge_path, node_path = beside(path, ("edges",)), beside(path, ("nodes",))
    if edge_path is None:
        raise UsageError(f"{path} holds no table edges.csv, edges.tsv or edges.parquet.")
    edges = _read(edge_path, (graph, *ends), options)
    nodes = _read(node_path, (graph, options["node"]), options) if node_path else None
    graph_path = beside(path, ("graphs", "labels"), options["labels"])
    if graph_path is not None:
        table, key, row_of = rows_by_key(graph_path, graph)
        names = tuple(row_of)
        answered = answers(table, range(len(names)), key, options, like, graph_path.name)
    else:
        named = pa.concat_arrays([rows.keys[0] for rows in (nodes, edges) if rows])
        names = tuple(named.unique().to_pylist())
        advice = f"{path} holds no table graphs.csv with the targets of the graphs."
        answered = no_answers(len(names), like, advice)
    placed = _placed(edges, nodes, names)
    pairs = placed.ends if directed else np.sort(placed.ends, axis=0)
    repeats = _repeated(pairs[0] * len(placed.names) + pairs[1], edges.name)
    if repeats and options["duplicates"] == "refuse":
        raise SmixupError(
            f"{repeats} the same edge: remove one, let weights be summed by duplicates=sum, or say "
            "directed=true if the table has every edge in both directions."
        )
    of_nodes = nodes.columns if nodes else {}
    read = attributed_graphs(
        torch.from_numpy(placed.ptr),
        torch.from_numpy(placed.ends),
        {name: column.take(pa.array(placed.order)) for name, column in of_nodes.items()},
        edges.columns,
        options["weight"],
        None if like is None else like.vocabulary,
        both_ways=not directed,
    )
    said = {
        f"{repeats} the same edge, as others may be: weights are summed.": repeats,
        "edges are read as directed, from their first end to the second.": directed,
    }
    notes = [*read.notes, *sentences(said), *edges.notes, *(nodes.notes if nodes else [])]
    node_names = [tuple(own) for own in np.split(placed.names, placed.ptr[1:-1])]
    reading = Reading("edge-list", options, read.vocabulary)
    return dataset_of(path, read.graphs, answered, reading, notes, names, node_names)


class Rows(NamedTuple):
    """A table of edges or nodes."""

    name: str
    keys: Sequence[pa.Array]  # what names the graph, and the node or the ends, as text
    columns: dict[str, pa.Array]  # the others, attributes
    notes: list[str]  # on columns that are left out


def _read(path: Path, keys: Sequence[str], options: Mapping[str, Any]) -> Rows:
    """Read a table, no cell of which may be empty. The index of a data frame is left out: where
    rows stand in a file says nothing about nodes and edges.
    """

    def where(row: int) -> str:
        return f"row {row + 1} of {path.name}"

    arrays = read_arrays(path)
    for key in keys:
        require_column(path.name, key, arrays)
    texts = {*keys, *names_of(options["categories"])}
    used = {*texts, options["weight"]}
    ignored = {*names_of(options["ignore"])} - used
    index = {name for name in arrays if is_index(name)} - used - ignored
    columns = {
        name: column_of(name, _gaps(path, cells), where, name in texts, spelled=True)
        for name, cells in arrays.items()
        if name not in index | ignored
    }
    notes = [
        f"'{name}' of {path.name} looks like the index of a data frame, and is left out: give "
        "the column a name of its own if it is a feature."
        for name in index
    ]
    return Rows(path.name, [columns.pop(key) for key in keys], columns, notes)


def _gaps(path: Path, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column in which empty texts are gaps."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not is_text(cells):
        return cells
    cells = cells if is_parquet(path) else pc.utf8_trim(cells, " ")
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)


def _graphs(rows: Rows, names: Sequence[str]) -> Integers:
    """Return the place of the graph that each row names, `[m]`."""
    places = pc.index_in(rows.keys[0], pa.array(names, pa.large_string()))
    if (odd := pc.index(places.is_null(), True).as_py()) >= 0:
        raise SmixupError(
            f"row {odd + 1} of {rows.name} names the graph '{shown(rows.keys[0][odd])}', which the "
            "table of graphs does not have."
        )
    return np.asarray(places.to_numpy(), np.int64)


def _by_size(name: str) -> tuple[bool, int, str]:
    """Return what sorts names: whole numbers by size, then others by letters."""
    is_whole = WHOLE.fullmatch(name) is not None
    return not is_whole, int(name) if is_whole else 0, name


class Nodes(NamedTuple):
    """The nodes of all graphs, and the ends of edges among them."""

    ptr: Integers  # [G + 1], where the nodes of each graph begin
    names: NDArray[np.object_]  # [n]
    order: Integers  # [n], the row of each node in their table, if there is one
    ends: Integers  # [2, m], counted over all graphs


def _placed(edges: Rows, table: Rows | None, graphs: Sequence[str]) -> Nodes:
    """Return the nodes of a table, graph by graph in its order, or those that edges name."""
    graph, keys_of_nodes = _graphs(edges, graphs), table.keys[1:] if table else []
    texts = pa.concat_arrays([*edges.keys[1:], *keys_of_nodes])
    names = sorted(texts.unique().to_pylist(), key=_by_size)
    codes = pc.index_in(texts, pa.array(names, pa.large_string())).to_numpy()
    width, m = max(len(names), 1), len(graph)
    wanted = graph * width + codes[: 2 * m].reshape(2, m)
    keys = np.unique(wanted)  # a node is a graph and a name
    if table:
        keys = _graphs(table, graphs) * width + codes[2 * m :]
        if twice := _repeated(keys, table.name):
            raise SmixupError(f"{twice} the same node: keep one.")
    if len(empty := np.setdiff1d(np.arange(len(graphs)), keys // width)):
        raise SmixupError(
            f"{(table or edges).name} has no node of the graph '{shown(graphs[empty[0]])}': leave "
            "the graph out, or list its nodes in a table nodes.csv."
        )
    order = np.argsort(keys // width, kind="stable")
    keys = keys[order]
    by_key = np.argsort(keys)
    ends = by_key[np.searchsorted(keys, wanted, sorter=by_key).clip(max=len(keys) - 1)]
    if (unknown := keys[ends] != wanted).any():
        end, row = np.argwhere(unknown)[0]
        raise SmixupError(
            f"row {row + 1} of {edges.name} names '{shown(edges.keys[1 + end][row])}', which the "
            f"table of nodes does not have in the graph '{shown(graphs[graph[row]])}'."
        )
    ptr = np.searchsorted(keys // width, np.arange(len(graphs) + 1))
    return Nodes(ptr, np.array(names, object)[keys % width], order, ends)


def _repeated(keys: Integers, table: str) -> str:
    """Return words for the first two rows of the same key, none if all differ."""
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if not len(twice):
        return ""
    first, second = order[twice[0] : twice[0] + 2] + 1
    return f"rows {first} and {second} of {table} are"
