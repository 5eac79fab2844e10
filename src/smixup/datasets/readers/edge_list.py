"""A table of edges of many graphs, beside a table of the graphs and, if need be, of their nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import counted, dataset_of, graphs_of, unseen
from smixup.datasets.readers.attribute_columns import Column, Vocabulary, encode, learn
from smixup.datasets.readers.label_table import (
    Table,
    answers,
    beside,
    known_task,
    no_answers,
    rows_by_key,
)
from smixup.datasets.readers.node_names import NAMELESS, NodeNames
from smixup.datasets.readers.options import names_of, options_of, require_one_of
from smixup.datasets.readers.streamed_table import Texts, factorise, read_columns
from smixup.datasets.readers.tables import column_names, require_column
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.shown import shown

NODES, EDGES = "nodes", "edges"
DUPLICATES = ("refuse", "sum")
LARGEST = float(np.finfo(np.float32).max)

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

    ```text
    edges.csv   graph,source,target,weight,kind      a row for every edge; weight, kind as you like
    graphs.csv  graph,label                          a row for every graph, with its target
    nodes.csv   graph,node,size,colour               a row for every node; may be left out
    ```

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
    table = _Edges.read(edge_path, options)
    names, rows_of_graphs = _graph_names(table, graph_path, node_path, options, like)
    found_nodes = _Nodes.of(table, node_path, names, options)
    vocabulary = like.vocabulary if like is not None else _learned(table, found_nodes, options)
    graphs, notes = _assembled(table, found_nodes, len(names), vocabulary, options)
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


@dataclass(frozen=True)
class _Edges:
    """A table of edges, without its names.

    Attributes:
        path: of the table.
        graph: names of graphs.
        source: names of the first ends.
        target: names of the second ends; codes are those of `source`.
        weight: None where there is none.
        columns: attributes.
    """

    path: Path
    graph: Texts
    source: Texts
    target: Texts
    weight: NDArray[np.float64] | None
    columns: Mapping[str, Column]

    @classmethod
    def read(cls, path: Path, options: Mapping[str, Any]) -> _Edges:
        ends = names_of(options["ends"])
        require(len(ends) == 2, "ends", options["ends"], "two names of columns")
        graph, weight = options["graph"], options["weight"]
        present = column_names(path)
        for name in (graph, *ends):
            require_column(path, name, present)
        kinds = _kinds(present, options) | dict.fromkeys((graph, *ends), False)
        if weight in present:
            kinds[weight] = True
        found: dict[str, Any] = dict(read_columns(path, kinds))
        _require_filled(path, found, (graph, *ends))
        source, target = _joined(found.pop(ends[0]), found.pop(ends[1]))
        names, weights = found.pop(graph), found.pop(weight, None)
        if weights is not None and len(odd := np.flatnonzero(weights == 0)):
            raise SmixupError(
                f"row {odd[0] + 1} of {path.name} has a weight of zero in column '{weight}': leave "
                "the edge out."
            )
        if weights is not None and len(odd := np.flatnonzero(np.abs(weights) > LARGEST)):
            raise SmixupError(
                f"row {odd[0] + 1} of {shown(path.name)} has a weight of {weights[odd[0]]}, which "
                "is not finite in single precision."
            )
        columns = {name: _column(each) for name, each in found.items()}
        return cls(path, names, source, target, weights, columns)

    def __len__(self) -> int:
        return len(self.source.codes)

    def where(self, row: int) -> str:
        """Tell where an edge stands."""
        return f"row {row + 1} of {self.path.name}"


def _kinds(present: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, bool | None]:
    """Tell of the columns to be read which are text, and of which it is to be seen."""
    ignored, categories = names_of(options["ignore"]), names_of(options["categories"])
    return {name: False if name in categories else None for name in present if name not in ignored}


def _require_filled(path: Path, columns: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse cells without content: a node without a name, an attribute that is not there."""
    for name, found in columns.items():
        if not isinstance(found, Texts) or found.values.dtype.kind != "S":
            continue
        for code in np.flatnonzero(found.values == b""):
            row = int(np.flatnonzero(found.codes == code)[0]) + 1
            less = "the row out" if name in keys else f"the column out by ignore={name}"
            raise SmixupError(
                f"row {row} of {path.name} has nothing in column '{name}': fill it in, or leave "
                f"{less}."
            )


def _column(found: Any) -> Column:
    if isinstance(found, Texts):
        return Column.of_texts(found.codes, found.texts())
    return Column.of_numbers(found)


def _joined(left: Texts, right: Texts) -> tuple[Texts, Texts]:
    """Return two columns with names of the same things, numbered alike."""
    values = [left.values, right.values]
    if values[0].dtype.kind != values[1].dtype.kind:
        values = [each.astype("S20") if each.dtype.kind != "S" else each for each in values]
    every, place = factorise(np.concatenate(values))
    first, second = place[: len(values[0])], place[len(values[0]) :]
    return (
        Texts(first[left.codes] if len(first) else left.codes, every),
        Texts(second[right.codes] if len(second) else right.codes, every),
    )


def _graph_names(
    table: _Edges,
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


def _places(names: list[str], found: Texts, where: str, column: str) -> Integers:
    """Return the place of each graph that is named in a table, `[m]`."""
    place = {name: index for index, name in enumerate(names)}
    places = np.array([place.get(name, -1) for name in found.texts()], np.int64)
    if len(odd := np.flatnonzero(places < 0)):
        row = int(np.flatnonzero(np.isin(found.codes, odd))[0])
        raise SmixupError(
            f"row {row + 1} of {where} names the graph '{found.text(int(found.codes[row]))}' in "
            f"column '{column}', which the table of graphs does not have."
        )
    return places[found.codes] if len(places) else found.codes


@dataclass(frozen=True)
class _Nodes:
    """The nodes of all graphs, in order.

    Attributes:
        sizes: `[G]`.
        source, target: `[m]`, the ends of edges, counted over all graphs.
        columns: attributes.
        path: of the table of nodes, None where there is none.
        order: `[n]`, the row of each node in its table.
        alone: how many graphs got a node because nothing names one.
        names: what the nodes are called.
    """

    sizes: Integers
    source: Integers
    target: Integers
    columns: Mapping[str, Column]
    path: Path | None = None
    order: Integers | None = None
    alone: int = 0
    names: NodeNames | None = None

    @classmethod
    def of(
        cls, table: _Edges, path: Path | None, names: list[str], options: Mapping[str, Any]
    ) -> _Nodes:
        graph = _places(names, table.graph, table.path.name, options["graph"])
        if path is None:
            return cls._named_by_edges(table, graph, len(names))
        return cls._from_table(table, graph, path, names, options)

    @classmethod
    def _named_by_edges(cls, table: _Edges, graph: Integers, number: int) -> _Nodes:
        width = max(len(table.source.values), 1)
        first, second = graph * width + table.source.codes, graph * width + table.target.codes
        nodes, source, target = _numbered(first, second, number * width)
        sizes = np.bincount(nodes // width, minlength=number)
        lonely = sizes == 0
        shift = np.cumsum(lonely) - lonely  # lonely nodes before those of each graph
        codes = np.full(len(nodes) + int(lonely.sum()), NAMELESS)
        codes[np.arange(len(nodes)) + shift[nodes // width]] = nodes % width
        return cls(
            sizes + lonely,
            source + shift[graph],
            target + shift[graph],
            {},
            alone=int(lonely.sum()),
            names=NodeNames.coded(sizes + lonely, codes, table.source.values),
        )

    @classmethod
    def _from_table(
        cls,
        table: _Edges,
        graph: Integers,
        path: Path,
        names: list[str],
        options: Mapping[str, Any],
    ) -> _Nodes:
        present = column_names(path)
        keys = options["graph"], options["node"]
        for key in keys:
            require_column(path, key, present)
        kinds = _kinds(present, options) | dict.fromkeys(keys, False)
        found: dict[str, Any] = dict(read_columns(path, kinds))
        _require_filled(path, found, keys)
        of_graph = _places(names, found.pop(keys[0]), path.name, keys[0])
        own: Texts = found.pop(keys[1])
        known, ends = _joined(own, replace(table.source, codes=np.arange(len(table.source.values))))
        width = max(len(known.values), 1)
        key_of = of_graph * width + known.codes
        order = np.argsort(of_graph, kind="stable")  # nodes stay in the order of their table
        by_key = np.argsort(key_of, kind="stable")
        ordered = key_of[by_key]
        if len(twice := np.flatnonzero(ordered[1:] == ordered[:-1])):
            rows = sorted(int(by_key[twice[0] + step]) + 1 for step in (0, 1))
            raise SmixupError(
                f"rows {rows[0]} and {rows[1]} of {path.name} are the same node "
                f"'{own.text(int(own.codes[rows[0] - 1]))}': keep one."
            )
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        sizes = np.bincount(of_graph, minlength=len(names))
        if len(empty := np.flatnonzero(sizes == 0)):
            raise SmixupError(
                f"{path.name} has no node of the graph '{names[int(empty[0])]}': add its nodes, or "
                "leave the graph out."
            )
        placed = []
        for side, column in zip(
            (table.source, table.target), names_of(options["ends"]), strict=True
        ):
            wanted = graph * width + ends.codes[side.codes]
            at = np.searchsorted(ordered, wanted).clip(max=max(len(ordered) - 1, 0))
            if len(odd := np.flatnonzero(ordered[at] != wanted)):
                row = int(odd[0])
                raise SmixupError(
                    f"{table.where(row)} names '{side.text(int(side.codes[row]))}' in column "
                    f"'{column}', which {path.name} does not have in the graph "
                    f"'{names[int(graph[row])]}'."
                )
            placed.append(place[by_key[at]])
        columns = {name: _column(each) for name, each in found.items()}
        called = NodeNames.coded(sizes, own.codes[order], own.values)
        return cls(sizes, placed[0], placed[1], columns, path, order, names=called)

    def where(self, row: int) -> str:
        """Tell where a node stands in its table."""
        return f"row {row + 1} of {self.path.name}" if self.path else f"node {row}"


def _numbered(first: Integers, second: Integers, limit: int) -> tuple[Integers, Integers, Integers]:
    """Return the numbers of two columns, each once and in order, and their places among these.

    Args:
        first, second: `[m]`, below `limit`.
        limit: if it is not much larger than m, numbers are marked instead of sorted.
    """
    if limit <= 8 * len(first) + 1000:
        there = np.zeros(limit, bool)
        there[first] = there[second] = True
        place = np.cumsum(there) - 1
        return np.flatnonzero(there), place[first], place[second]
    every = np.concatenate([first, second])
    every.sort()
    keep = np.ones(len(every), bool)
    np.not_equal(every[1:], every[:-1], out=keep[1:])
    every = every[keep]
    return every, np.searchsorted(every, first), np.searchsorted(every, second)


def _learned(table: _Edges, nodes: _Nodes, options: Mapping[str, Any]) -> dict[str, Vocabulary]:
    categories = names_of(options["categories"])
    return {NODES: learn(nodes.columns, categories), EDGES: learn(table.columns, categories)}


def _assembled(
    table: _Edges,
    nodes: _Nodes,
    number: int,
    vocabulary: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Graphs, list[str]]:
    total = int(nodes.sizes.sum())
    notes: list[str] = []
    x, odd_nodes = encode(nodes.columns, vocabulary[NODES], total, nodes.where)
    attributes, odd_edges = encode(table.columns, vocabulary[EDGES], len(table), table.where)
    if nodes.order is not None:
        x = x[torch.from_numpy(nodes.order)]
    ptr = torch.from_numpy(np.concatenate([[0], np.cumsum(nodes.sizes)]))
    weight = None if table.weight is None else table.weight.astype(np.float32)
    graphs, doubled = None, 0
    if not (attributes.size(1) or options["directed"]):
        graphs = _symmetric(nodes, ptr, x, weight)
    if graphs is None:
        doubled = _check_duplicates(table, nodes, total, options)
        graphs = _by_conversion(nodes, ptr, x, weight, attributes, options["directed"])
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
    for what, columns in ((NODES, nodes.columns), (EDGES, table.columns)):
        notes += [
            f"the column '{name}' of {what} is left out: the files read before have none."
            for name in columns
            if name not in vocabulary[what]
        ]
    return graphs, notes


def _check_duplicates(table: _Edges, nodes: _Nodes, total: int, options: Mapping[str, Any]) -> int:
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
        f"'{table.graph.text(int(table.graph.codes[first]))}', from "
        f"'{table.source.text(int(table.source.codes[first]))}' to "
        f"'{table.target.text(int(table.target.codes[first]))}'"
    )
    raise SmixupError(
        f"{edge} and back: if the table has every edge in both directions, say directed=true, if "
        "they are two edges, duplicates=sum."
        if turned
        else f"{edge}: remove one, or let the weights be summed by duplicates=sum."
    )


def _by_conversion(
    nodes: _Nodes,
    ptr: torch.Tensor,
    x: torch.Tensor,
    weight: NDArray[np.float32] | None,
    attributes: torch.Tensor,
    directed: bool,
) -> Graphs:
    back = np.zeros(0, np.int64) if directed else np.flatnonzero(nodes.source != nodes.target)
    row = torch.from_numpy(np.concatenate([np.arange(len(nodes.source)), back]))
    edge_index = torch.from_numpy(
        np.stack(
            [
                np.concatenate([nodes.source, nodes.target[back]]),
                np.concatenate([nodes.target, nodes.source[back]]),
            ]
        )
    )
    weights = None if weight is None else torch.from_numpy(weight)[row]
    return graphs_of(ptr, x, edge_index, weights, attributes[row])


def _symmetric(
    nodes: _Nodes, ptr: torch.Tensor, x: torch.Tensor, weight: NDArray[np.float32] | None
) -> Graphs | None:
    """Return undirected graphs without attributes of edges: nothing has to be added up or compared
    with its transpose. None if an edge is there twice.
    """
    total, source, target = len(x), nodes.source, nodes.target
    back = np.flatnonzero(source != target)
    key = np.concatenate([target * total + source, source[back] * total + target[back]])
    if weight is None:
        key.sort()
        sorted_weight = torch.ones(len(key))
    else:
        order = np.argsort(key)
        key = key[order]
        sorted_weight = torch.from_numpy(np.concatenate([weight, weight[back]])[order])
    if (key[1:] == key[:-1]).any():
        return None
    row = key // max(total, 1)
    row_ptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=total))])
    column = torch.from_numpy(key - row * total)
    adj = SparseOperator(torch.from_numpy(row_ptr), column, sorted_weight, total, symmetric=True)
    return Graphs(x, adj, torch.zeros(len(ptr) - 1, 0), ptr)
