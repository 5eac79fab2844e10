"""The TUDataset collection, read from text files under the data root."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.utils import remove_self_loops, to_undirected

from smixup.datasets.base import Dataset
from smixup.datasets.layouts import TULayout
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.text import read_integers, read_numbers
from smixup.errors import SmixupError, UsageError, require, shown, warn_user
from smixup.graphs import Graphs
from smixup.graphs.packed import open_packed
from smixup.graphs.packing import PackedWriter
from smixup.graphs.ragged import offsets
from smixup.memory import require_room
from smixup.packed_folder import is_packed
from smixup.tasks import Classes, Values

ATTRIBUTES = "attributes"
READING = 1
"""Of what is kept; a copy of another number is made again."""
OF_EDGES = ("edge_labels", "edge_attributes")
TARGETS = {"classes": "graph_labels", ATTRIBUTES: "graph_attributes"}
MOST_LABELS, MOST_PLACES = 1000, 100_000
"""Places that labels of an edge, and of a node, may take one-hot."""

Integers = NDArray[np.int64]


def tu_dataset(
    name: str,
    root: Path,
    attributes: bool | None = None,
    edges: bool = False,
    target: str = "",
) -> Dataset:
    """Read a TU dataset whose raw files are under `root`; what was read is kept beside them, packed
    (`graphs/packed.py`), and taken from there as long as the files stay as they are.

    Node labels become one-hot features. Graphs are simple and undirected: loops and repeated edges
    are dropped, and an edge listed in one direction counts in both.

    Args:
        name: the publisher's spelling, for instance `IMDB-BINARY`.
        root: the data root.
        attributes: put continuous node attributes before the one-hot labels, or leave them out;
            None takes them where there are no labels. They are standardised by `encode_features`,
            once the training split is known.
        edges: give edges features, `edge_attrs["edge_attr"]`: attributes as they are, then labels
            one-hot. Without it, what is there is told in `Dataset.notes`.
        target: what to predict, `classes` (`NAME_graph_labels.txt`) or `attributes`
            (`NAME_graph_attributes.txt`, which are values); by default classes where there are
            some.
    """
    fine = attributes is None or isinstance(attributes, bool)
    require(fine, "attributes", attributes, "true, false or none")
    require(isinstance(edges, bool), "edges", edges, "true or false")
    require(target in ("", *TARGETS), "target", target, " or ".join(TARGETS))
    files = TULayout(root / name / "raw", name)
    if edges and not any(map(files.has, OF_EDGES)):
        raise UsageError(f"{name} has no labels or attributes of edges: leave edges=true out.")
    if target and not files.has(TARGETS[target]):
        others = " or ".join(each for each, part in TARGETS.items() if files.has(part))
        raise UsageError(f"{name} has no {target} of graphs to predict: take target={others}.")
    graphs = _read(files, root, edges)
    numbers, labels = graphs.node_attrs[ATTRIBUTES], graphs.x
    if attributes and not numbers.size(1):
        raise UsageError(f"{name} has no node attributes: leave attributes=true out.")
    used = bool(numbers.size(1)) and not labels.size(1) if attributes is None else attributes
    x = torch.cat([numbers, labels.float()], 1) if used else labels
    graphs = graphs.replace(x=x if x.size(1) else numbers[:, :0], node_attrs={})
    if target == ATTRIBUTES and graphs.has_classes:
        values = torch.from_numpy(read_numbers(files.path("graph_attributes"))).float()
        graphs = graphs.replace(y=values, has_classes=False)
    task: Classes | Values
    if graphs.has_classes:  # under the numbers of the publisher, such as -1 and 1
        published = read_integers(files.path("graph_labels"), 1)
        task = Classes(tuple(np.unique(published).tolist()))
    else:
        task = Values(tuple(f"attribute {place + 1}" for place in range(graphs.num_classes)))
    return Dataset(
        name,
        graphs,
        metric=task.metrics[0],
        unused_attributes=0 if used else numbers.size(1),
        task=task,
        notes=tuple(files.unused(edges, values=not graphs.has_classes)),
    )


# --- the packed copy


def _read(files: TULayout, root: Path, edges: bool) -> Graphs:
    """Return the packed copy, or make it from the text files; one with features of edges is kept
    apart, so that nobody reads them who does not want them.
    """
    folder = root / files.name / ("packed-edges" if edges else "packed")
    try:
        stamp = _stamp(files, edges)
        graphs = _kept(folder, stamp)
        if graphs is None:
            graphs = read_tu(files, edges)
            _keep(graphs, folder, stamp)
        return graphs
    except (OSError, SmixupError) as reason:
        raise SmixupError(
            f"the files of {files.name} under {root} cannot be read ({str(reason).rstrip('.')}); "
            "import it again: smixup data import PATH."
        ) from reason


def _stamp(files: TULayout, edges: bool) -> dict[str, Any]:
    """Return what tells whether a copy was made of these files, by this code."""
    unused = {"graph_attributes"} if files.has("graph_labels") else set[str]()
    unused |= set[str]() if edges else {*OF_EDGES}
    paths = [path for path in files.files() if not path.stem.endswith(tuple(unused))]
    sizes = {path.name: [path.stat().st_size, path.stat().st_mtime_ns] for path in paths}
    return {"reading": READING, "files": sizes}


def _kept(folder: Path, stamp: dict[str, Any]) -> Graphs | None:
    """Return the packed copy, or None if there is none, or one of other files, or half of one."""
    try:
        graphs = open_packed(folder)
        return graphs[:] if graphs.notes == stamp else None
    except (SmixupError, LookupError, TypeError, ValueError, RuntimeError):
        return None


def _keep(graphs: Graphs, folder: Path, stamp: dict[str, Any]) -> None:
    """Write a packed copy, which appears in one step."""
    if folder.exists() and not is_packed(folder):
        shutil.rmtree(folder, ignore_errors=True)  # something else, or remains
    try:
        with PackedWriter(folder, stamp) as writer:
            writer.add(graphs)
    except SmixupError as reason:
        if _kept(folder, stamp) is None:  # otherwise another process was faster
            warn_user(f"the text files will be read again the next time: {reason}")


# --- the text files


def check_tu(name: str, root: Path) -> None:
    """Check the files of a dataset under a root, also of what edges have, and make graphs once."""
    files = TULayout(root / name / "raw", name)
    read_tu(files)
    if any(map(files.has, OF_EDGES)):
        _edge_features(files, len(read_integers(files.path("A"), 2)))


def read_tu(files: TULayout, edges: bool = False) -> Graphs:
    """Return graphs whose targets are classes, or values where there are none; node attributes
    stand beside the one-hot labels, and edges have features if asked for.

    An error names the file, and the line where one can be named.
    """
    indicator = files.path("graph_indicator")
    graph_of = read_integers(indicator, 1)[:, 0]
    if not graph_of.size or graph_of[0] != 1 or not np.isin(np.diff(graph_of), (0, 1)).all():
        raise SmixupError(
            f"{shown(indicator.name)} must number the graphs 1, 2, ... in order, without gaps."
        )
    y, has_classes = _targets(files, int(graph_of[-1]))
    ends = torch.from_numpy(_ends(files.path("A"), graph_of).T.copy())
    features, n = None, graph_of.size
    if edges:
        ends, features = _both_ways(ends, _edge_features(files, ends.size(1)), n)
    else:
        ends = to_undirected(remove_self_loops(ends)[0], num_nodes=n)
    ptr = offsets(torch.from_numpy(np.bincount(graph_of - 1)))
    x = _labels(files.path("node_labels"), n, MOST_PLACES)
    attributes = _numbers(files.path("node_attributes"), n)
    graphs = graphs_of(ptr, x, ends, edge_attr=features)
    return graphs.replace(y=y, has_classes=has_classes, node_attrs={ATTRIBUTES: attributes})


def _targets(files: TULayout, graphs: int) -> tuple[Tensor, bool]:
    """Return classes one-hot `[G, C]`, or values if there are no others, and which they are."""
    values = _numbers(files.path("graph_attributes"), graphs)
    if values.size(1) and not files.has("graph_labels"):
        return values, False
    path = files.path("graph_labels")
    labels = read_integers(path, 1)[:, 0]
    require_rows(path, labels.size, graphs)
    names, places = np.unique(labels, return_inverse=True)
    what = f"{shown(path.name)} with {names.size:,} classes"
    room = 8 * names.size * graphs
    require_room(room, what, "are they values? Then call the file graph_attributes")
    return F.one_hot(torch.from_numpy(places.reshape(-1)).long()).float(), True


def _edge_features(files: TULayout, lines: int) -> Tensor:
    """Return the features of every line of edges `[m, k]`: attributes, then labels one-hot."""
    attributes = _numbers(files.path("edge_attributes"), lines)
    labels = _labels(files.path("edge_labels"), lines, MOST_LABELS)
    return torch.cat([attributes, labels.float()], 1)


def _both_ways(ends: Tensor, features: Tensor, nodes: int) -> tuple[Tensor, Tensor]:
    """Return every edge once and in both directions, without loops, and its features. One that is
    listed in one direction has the same in the other; one listed twice, with others, is refused.
    """
    lines = (ends[0] != ends[1]).nonzero().squeeze(1)
    source, target = ends[:, lines]
    features = features[lines]
    places, which = (source * nodes + target).unique(return_inverse=True)
    first = torch.full_like(places, len(which))
    first = first.scatter_reduce(0, which, torch.arange(len(which)), "amin")
    other = (features != features[first[which]]).any(1)
    if other.any():
        second = int(other.nonzero()[0])
        raise SmixupError(
            f"lines {int(lines[first[which[second]]]) + 1} and {int(lines[second]) + 1} of its "
            "edges list the same one with different labels or attributes: remove one of them, or "
            "leave edges=true out."
        )
    source, target, features = source[first], target[first], features[first]
    alone = ~torch.isin(target * nodes + source, places)
    back = torch.stack([target[alone], source[alone]])
    both = torch.cat([torch.stack([source, target]), back], 1)
    return both, torch.cat([features, features[alone]])


def _ends(path: Path, graph_of: Integers) -> Integers:
    """Return the edges of a file `[m, 2]`, nodes counted from 0."""
    ends = read_integers(path, 2) - 1
    outside = ((ends < 0) | (ends >= graph_of.size)).any(1)
    if outside.any():
        raise SmixupError(
            f"{shown(path.name)} names a node outside 1 to {graph_of.size} in line "
            f"{int(outside.argmax()) + 1}."
        )
    apart = graph_of[ends[:, 0]] != graph_of[ends[:, 1]]
    if apart.any():
        line = int(apart.argmax()) + 1
        raise SmixupError(f"{shown(path.name)} joins two different graphs in line {line}.")
    return ends


def _numbers(path: Path, rows: int) -> Tensor:
    """Return numbers `[rows, k]`, of width 0 if there is no such file."""
    numbers = read_numbers(path) if path.is_file() else np.zeros((rows, 0))
    require_rows(path, len(numbers), rows)
    return torch.from_numpy(numbers).float()


def _labels(path: Path, rows: int, most: int) -> Tensor:
    """Return columns of labels one-hot beside each other, in bytes, of width 0 if there is no such
    file; each column has places for all values between its smallest and its largest.
    """
    labels = read_integers(path) if path.is_file() else np.zeros((rows, 0), np.int64)
    require_rows(path, len(labels), rows)
    if not labels.size:
        return torch.zeros(rows, 0, dtype=torch.uint8)
    ends = zip(labels.min(0).tolist(), labels.max(0).tolist(), strict=True)  # whole, of any size
    widths = [last - first + 1 for first, last in ends]
    if sum(widths) > most:
        raise SmixupError(
            f"{shown(path.name)} holds labels from {labels.min()} to {labels.max()}, which take "
            f"{sum(widths):,} places one-hot where {most:,} are the most: number them 0, 1, 2, "
            f"..., or call the file {shown(path.name.replace('_labels', '_attributes'))}."
        )
    require_room(sum(widths) * rows, f"{shown(path.name)} one-hot", "number labels 0, 1, 2")
    return one_hot_columns(labels - labels.min(0), widths)


def require_rows(path: Path, rows: int, expected: int) -> None:
    """Refuse a file with another number of lines than the other files call for."""
    if rows != expected:
        raise SmixupError(
            f"{shown(path.name)} has {rows} lines where the other files call for {expected}."
        )
