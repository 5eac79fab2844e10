"""The text files of the TU collection: what they hold, and the checks that they must pass.

NumPy alone reads them, once: what is read is kept in a packed set, see `datasets/tu.py`. No torch
is needed here, so that files are checked at once when they are imported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.layout import Layout, is_plain, require_files
from smixup.datasets.text import lines_of, read_integers, read_numbers
from smixup.errors import SmixupError
from smixup.memory import require_room
from smixup.shown import shown

Integers = NDArray[np.int64]
MOST_LABELS, MOST_PLACES = 1000, 100_000
"""Places that labels of an edge, and of a node, may take one-hot."""


def tu_file(folder: Path, name: str, part: str) -> Path:
    """Return the file of one part, such as `graph_labels`."""
    return folder / f"{name}_{part}.txt"


@dataclass(frozen=True)
class TUText:
    """The tables of one dataset as its files have them: n nodes, m lines of edges, G graphs.

    Attributes:
        graph_of: `[n]`, the graph of every node, 1 to G, in order.
        edges: `[m, 2]`, nodes counted through from 1.
        graph_labels: `[G]`; empty where there are none.
        node_labels: `[n, k]`; k is 0 where there are none.
        node_attributes: `[n, a]`; a is 0 where there are none.
        graph_attributes: `[G, t]`; t is 0 where there are none.
        edge_labels: `[m, k]`, and
        edge_attributes: `[m, a]`, each of width 0 where there are none, or none were asked for.
    """

    graph_of: Integers
    edges: Integers
    graph_labels: Integers
    node_labels: Integers
    node_attributes: NDArray[np.float64]
    graph_attributes: NDArray[np.float64]
    edge_labels: Integers
    edge_attributes: NDArray[np.float64]

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
        return _one_hot(self.node_labels)

    def without_edge_features(self) -> TUText:
        """Return the same tables without labels and attributes of edges."""
        return replace(
            self,
            edge_labels=self.edge_labels[:, :0],
            edge_attributes=self.edge_attributes[:, :0],
        )

    def edge_features(self) -> tuple[Integers, NDArray[np.float32]]:
        """Return edges `[2, m]`, source and target counted from 0, each once and in both
        directions, and their features `[m, k]`: attributes, then one-hot labels as of nodes.

        An edge that is listed in one direction has the same features in the other. Loops are
        dropped, as by `neighbours`.
        """
        n = self.graph_of.size
        features = np.hstack([self.edge_attributes, _one_hot(self.edge_labels)])
        source, target = (self.edges[:, end] - 1 for end in range(2))
        lines = np.flatnonzero(source != target)
        source, target, features = source[lines], target[lines], features[lines]
        places, first, which = np.unique(
            source * n + target, return_index=True, return_inverse=True
        )
        same = first[which.reshape(-1)]
        other = (features != features[same]).any(1)
        if other.any():
            place = int(other.argmax())
            raise SmixupError(
                f"lines {lines[same[place]] + 1} and {lines[place] + 1} of its edges list the same "
                "one with different labels or attributes: remove one of them, or leave edges=true "
                "out."
            )
        source, target, features = source[first], target[first], features[first]
        alone = ~np.isin(target * n + source, places)
        both = np.hstack([[source, target], [target[alone], source[alone]]]).astype(np.int64)
        return both, np.vstack([features, features[alone]]).astype(np.float32)

    def neighbours(self) -> tuple[Integers, Integers]:
        """Return how many neighbours every node has `[n]`, and all neighbours in order.

        Loops are dropped, edges that are listed several times count once, and those that are listed
        in one direction in both.
        """
        from scipy.sparse import coo_array  # half of the time that a list of datasets would take

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


def read_tu(folder: Path, name: str, edges: bool = False) -> TUText:
    """Read and check the files of a dataset; an error names the file, and the line where one can be
    named.

    Args:
        folder: of the files.
        name: with which their names begin.
        edges: read labels and attributes of edges, too.
    """
    indicator, labels, ends_file = (
        tu_file(folder, name, part) for part in ("graph_indicator", "graph_labels", "A")
    )
    graph_of = read_integers(indicator, 1)[:, 0]
    if not graph_of.size or graph_of[0] != 1 or not np.isin(np.diff(graph_of), (0, 1)).all():
        raise SmixupError(
            f"{shown(indicator.name)} must number the graphs 1, 2, ... in order, without gaps."
        )
    graphs, nodes = int(graph_of[-1]), graph_of.size
    graph_attributes = _numbers(tu_file(folder, name, "graph_attributes"), graphs)
    graph_labels = np.zeros(0, int)
    if labels.is_file() or not graph_attributes.size:
        graph_labels = read_integers(labels, 1)[:, 0]
        require_rows(labels, graph_labels.size, graphs)
        number = np.unique(graph_labels).size
        require_room(
            8 * number * graphs,
            f"{shown(labels.name)} with {number:,} classes",
            "are they values? Then call the file graph_attributes",
        )
    ends = read_integers(ends_file, 2)
    _check_edges(ends, graph_of, ends_file)
    node_labels = _labels(tu_file(folder, name, "node_labels"), nodes, MOST_PLACES)
    node_attributes = _numbers(tu_file(folder, name, "node_attributes"), nodes)
    edge_labels, edge_attributes = np.zeros((len(ends), 0), int), np.zeros((len(ends), 0))
    if edges:
        edge_labels = _labels(tu_file(folder, name, "edge_labels"), len(ends), MOST_LABELS)
        edge_attributes = _numbers(tu_file(folder, name, "edge_attributes"), len(ends))
    return TUText(
        graph_of=graph_of,
        edges=ends,
        graph_labels=graph_labels,
        node_labels=node_labels,
        node_attributes=node_attributes,
        graph_attributes=graph_attributes,
        edge_labels=edge_labels,
        edge_attributes=edge_attributes,
    )


def unused_parts(folder: Path, name: str, edges: bool = False, values: bool = False) -> list[str]:
    """Return a sentence on each kind of data that is there and is not used.

    Args:
        folder: of the files.
        name: with which their names begin.
        edges: whether labels and attributes of edges are used.
        values: whether attributes of graphs are.
    """
    sentences = []
    parts = ("edge_labels", "edge_attributes")
    of_edges = [part for part in parts if tu_file(folder, name, part).is_file()]
    if of_edges and not edges:
        what = " and ".join(part.replace("_", " ") for part in of_edges)
        sentences.append(f"{what} are there and not used: --data edges=true.")
    if tu_file(folder, name, "graph_attributes").is_file() and not values:
        sentences.append("graph attributes are there and not used: --data target=attributes.")
    return sentences


def require_rows(path: Path, rows: int, expected: int) -> None:
    """Refuse a file with another number of lines than the other files call for."""
    if rows != expected:
        raise SmixupError(
            f"{shown(path.name)} has {rows} lines where the other files call for {expected}."
        )


def _numbers(path: Path, rows: int) -> NDArray[np.float64]:
    """Return numbers `[rows, k]`, of width 0 if there is no such file."""
    numbers = read_numbers(path) if path.is_file() else np.zeros((rows, 0))
    require_rows(path, len(numbers), rows)
    return numbers


def _labels(path: Path, rows: int, most: int) -> Integers:
    """Return integers `[rows, k]`, of width 0 if there is no such file; one-hot, they must fit."""
    labels = read_integers(path) if path.is_file() else np.zeros((rows, 0), int)
    require_rows(path, len(labels), rows)
    if not labels.size:
        return labels
    ends = zip(labels.min(0).tolist(), labels.max(0).tolist(), strict=True)  # whole, of any size
    places = sum(last - first + 1 for first, last in ends)
    if places > most:
        raise SmixupError(
            f"{shown(path.name)} holds labels from {labels.min()} to {labels.max()}, which take "
            f"{places:,} places one-hot where {most:,} are the most: number them 0, 1, 2, ..., or "
            f"call the file {shown(path.name.replace('_labels', '_attributes'))}."
        )
    require_room(places * len(labels), f"{shown(path.name)} one-hot", "number labels 0, 1, 2")
    return labels


def _one_hot(labels: Integers) -> NDArray[np.uint8]:
    """Return columns of labels one-hot beside each other."""
    places = labels - labels.min(0, initial=np.iinfo(np.int64).max)
    widths = places.max(0, initial=-1) + 1
    encoded = np.zeros((len(places), int(widths.sum())), np.uint8)
    np.put_along_axis(encoded, places + np.cumsum(widths) - widths, 1, axis=1)
    return encoded


def _check_edges(edges: Integers, graph_of: Integers, path: Path) -> None:
    outside = ((edges < 1) | (edges > graph_of.size)).any(1)
    if outside.any():
        raise SmixupError(
            f"{shown(path.name)} names a node outside 1 to {graph_of.size} in line "
            f"{int(outside.argmax()) + 1}."
        )
    apart = graph_of[edges[:, 0] - 1] != graph_of[edges[:, 1] - 1]
    if apart.any():
        line = int(apart.argmax()) + 1
        raise SmixupError(f"{shown(path.name)} joins two different graphs in line {line}.")


@dataclass(frozen=True)
class TULayout(Layout):
    """`NAME_A.txt` and its companions in one folder."""

    folder: Path
    prefix: str

    parts_required = ("A", "graph_indicator")
    parts_per_graph = ("graph_labels", "graph_attributes")  # one at least
    parts_besides = ("node_labels", "node_attributes", "edge_labels", "edge_attributes")

    @classmethod
    def endings(cls) -> tuple[str, ...]:
        """Return how the names of its files end."""
        parts = (*cls.parts_required, *cls.parts_per_graph, *cls.parts_besides)
        return tuple(f"_{part}.txt" for part in parts)

    @classmethod
    def find(cls, top: Path) -> list[Layout]:
        """Return every such dataset in a folder, its children and grandchildren."""
        found = [path for depth in ("", "*/", "*/*/") for path in top.glob(f"{depth}*_A.txt")]
        return [
            cls(path.parent, path.name.removesuffix("_A.txt"))
            for path in sorted(found)
            if is_plain(path, top)
        ]

    @property
    def name(self) -> str:
        return self.prefix

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return tu_file(self.folder, self.prefix, part)

    def files(self) -> dict[Path, Path]:
        every = (self.folder / f"{self.prefix}{ending}" for ending in self.endings())
        paths = [path for path in every if path.is_file()]
        return {path: Path(self.name, "raw", path.name) for path in paths}

    def require(self) -> None:
        require_files([self.path(part) for part in self.parts_required])
        if not any(self.path(part).is_file() for part in self.parts_per_graph):
            require_files([self.path("graph_labels")])

    def under(self, root: Path) -> TULayout:
        return TULayout(root / self.name / "raw", self.prefix)

    def copy(self, source: Path, target: Path) -> None:
        """Copy a text without a mark before UTF-8, with lines that end in a newline alone, and
        without blank ones; of a large file, a line at a time is in memory.
        """
        with source.open("rb") as stream, target.open("wb") as file:
            for place, line in enumerate(lines_of(stream, source)):
                plain = line.removeprefix(b"\xef\xbb\xbf") if place == 0 else line
                parts = plain.replace(b"\r", b"\n").split(b"\n")
                file.writelines(part + b"\n" for part in parts if part.strip())

    def load(self) -> None:
        self.require()
        from smixup.datasets.tu import graphs_of_text  # takes torch

        graphs_of_text(read_tu(self.folder, self.prefix, edges=True).without_edge_features())
