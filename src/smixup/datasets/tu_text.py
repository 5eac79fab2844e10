"""The text files of the TU collection: what they hold, and the checks that they must pass.

NumPy alone reads them, once: what is read is kept in a packed set, see `datasets/tu.py`. No torch
is needed here, so that files are checked at once when they are imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from smixup.datasets.text_tables import read_integers, read_numbers
from smixup.errors import SmixupError

Integers = NDArray[np.int64]


def tu_file(folder: Path, name: str, part: str) -> Path:
    """Return the file of one part, such as `graph_labels`."""
    return folder / f"{name}_{part}.txt"


@dataclass(frozen=True)
class TUText:
    """The tables of one dataset as its files have them: n nodes, m lines of edges, G graphs.

    Attributes:
        graph_of: `[n]`, the graph of every node, 1 to G, in order.
        edges: `[m, 2]`, nodes counted through from 1.
        graph_labels: `[G]`.
        node_labels: `[n, k]`; k is 0 where there are none.
        node_attributes: `[n, a]`; a is 0 where there are none.
    """

    graph_of: Integers
    edges: Integers
    graph_labels: Integers
    node_labels: Integers
    node_attributes: NDArray[np.float64]

    @cached_property
    def sizes(self) -> Integers:
        """Nodes of each graph `[G]`."""
        return np.bincount(self.graph_of - 1).astype(np.int64)

    @cached_property
    def classes(self) -> Integers:
        """The class of each graph `[G]`: labels in order are number 0, 1, ..."""
        return np.unique(self.graph_labels, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def one_hot_labels(self) -> NDArray[np.uint8]:
        """Return node labels one-hot in bytes; each column of labels has places for all values
        between its smallest and its largest.
        """
        places = self.node_labels - self.node_labels.min(0, initial=np.iinfo(np.int64).max)
        widths = places.max(0, initial=-1) + 1
        first = np.cumsum(widths) - widths
        found = np.zeros((len(places), int(widths.sum())), np.uint8)
        np.put_along_axis(found, places + first, 1, axis=1)
        return found

    def neighbours(self) -> tuple[Integers, Integers]:
        """Return how many neighbours every node has `[n]`, and all neighbours in order.

        Loops are dropped, edges that are listed several times count once, and those that are listed
        in one direction in both.
        """
        n = self.graph_of.size
        kind = np.int32 if n <= np.iinfo(np.int32).max else np.int64
        source, target = (self.edges[:, end].astype(kind) - 1 for end in range(2))
        plain = source != target
        ends: tuple[Any, Any] = source[plain], target[plain]
        once = coo_array((np.ones(ends[0].size, bool), ends), shape=(n, n)).tocsr()
        del source, target, plain, ends  # of large sets, hundreds of megabytes each
        both = once + once.T
        both.sort_indices()
        return np.diff(both.indptr).astype(np.int64), both.indices.astype(np.int64)


def read_tu(folder: Path, name: str) -> TUText:
    """Read and check the files of a dataset; an error names the file, and the line where one can be
    named.
    """
    graph_of = read_integers(tu_file(folder, name, "graph_indicator"), 1)[:, 0]
    _check_graphs(graph_of, tu_file(folder, name, "graph_indicator"))
    graph_labels = read_integers(tu_file(folder, name, "graph_labels"), 1)[:, 0]
    require_rows(tu_file(folder, name, "graph_labels"), graph_labels.size, int(graph_of[-1]))
    edges = read_integers(tu_file(folder, name, "A"), 2)
    _check_edges(edges, graph_of, tu_file(folder, name, "A"))
    labels, attributes = (
        tu_file(folder, name, part) for part in ("node_labels", "node_attributes")
    )
    node_labels = read_integers(labels) if labels.is_file() else np.zeros((graph_of.size, 0), int)
    numbers = read_numbers(attributes) if attributes.is_file() else np.zeros((graph_of.size, 0))
    require_rows(labels, len(node_labels), graph_of.size)
    require_rows(attributes, len(numbers), graph_of.size)
    return TUText(graph_of, edges, graph_labels, node_labels, numbers)


def require_rows(path: Path, found: int, expected: int) -> None:
    """Refuse a file with another number of lines than the other files call for."""
    if found != expected:
        raise SmixupError(
            f"{path.name} has {found} lines where the other files call for {expected}."
        )


def _check_graphs(graph_of: Integers, path: Path) -> None:
    steps = np.diff(graph_of)
    if graph_of.size == 0 or graph_of[0] != 1 or not ((steps == 0) | (steps == 1)).all():
        raise SmixupError(f"{path.name} must number the graphs 1, 2, ... in order, without gaps.")


def _check_edges(edges: Integers, graph_of: Integers, path: Path) -> None:
    if edges.size and (edges.min() < 1 or edges.max() > graph_of.size):
        outside = (edges < 1) | (edges > graph_of.size)
        line = int(outside.any(1).argmax()) + 1
        raise SmixupError(f"{path.name} names a node outside 1..{graph_of.size} in line {line}.")
    apart = graph_of[edges[:, 0] - 1] != graph_of[edges[:, 1] - 1]
    if apart.any():
        line = int(apart.argmax()) + 1
        raise SmixupError(f"{path.name} joins two different graphs in line {line}.")
