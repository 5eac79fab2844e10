"""Graphs from the tables of their edges and nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from smixup.datasets.readers.assembly import counted, graphs_of, unseen
from smixup.datasets.readers.attribute_columns import encode
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.datasets.readers.node_table import NodeTable
from smixup.datasets.readers.table_columns import left_out
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator

NODES, EDGES = "nodes", "edges"
"""Where a vocabulary keeps what columns of nodes and edges become."""


def assembled(
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
    nodes: NodeTable,
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
    nodes: NodeTable, ptr: torch.Tensor, x: torch.Tensor, weight: NDArray[np.float32] | None
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
