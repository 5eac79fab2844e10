"""Graphs as plain values, to be compared with a plain reading."""

from __future__ import annotations

import math
import struct
from itertools import pairwise
from typing import Any

from smixup.graphs import Graphs

from .harness import Malformed


def plain_graphs(graphs: Graphs) -> list[Any]:
    """Return of each graph its nodes, edges with weights, features and targets."""
    adj = graphs.adj.to_sparse()
    begin, column = adj.row_ptr.tolist(), adj.column.tolist()
    row = [i for i, (a, b) in enumerate(pairwise(begin)) for _ in range(a, b)]
    weight, x, y = adj.weight.tolist(), graphs.x.tolist(), graphs.y.tolist()
    ptr = graphs.ptr.tolist()
    graph_of = [graph for graph, (a, b) in enumerate(pairwise(ptr)) for _ in range(a, b)]
    edges: list[list[Any]] = [[] for _ in ptr[1:]]
    for i, j, w in zip(row, column, weight, strict=True):
        first = ptr[graph_of[i]]
        edges[graph_of[i]].append((i - first, j - first, w))
    return [
        (b - a, sorted(edges[graph]), [list(map(float, each)) for each in x[a:b]], y[graph])
        for graph, (a, b) in enumerate(pairwise(ptr))
    ]


def single(number: float) -> float:
    """Return a number in single precision, if it is finite there."""
    try:
        found = float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError as reason:
        raise Malformed("a number that is too large") from reason
    if math.isinf(found):
        raise Malformed("a number that is not finite")
    return found
