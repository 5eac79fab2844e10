"""The TUDataset collection, read from text files under the data root."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.utils import coalesce, remove_self_loops, to_undirected

from smixup.datasets.base import Dataset
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.sources import Layout, tu_layout
from smixup.datasets.text import first_line, read_integers, read_numbers
from smixup.errors import SmixupError, UsageError, require, shown, warn_user
from smixup.graphs import Graphs
from smixup.graphs.packed import PackedWriter, open_packed
from smixup.graphs.ragged import offsets
from smixup.memory import require_room
from smixup.packed_folder import is_packed
from smixup.tasks import Classes, Values

ATTRIBUTES = "attributes"
READING = 1
"""Of what is kept; a copy of another number is made again."""
OF_EDGES = ("edge_labels", "edge_attributes")
TARGETS = {"classes": "graph_labels", ATTRIBUTES: "graph_attributes"}
MOST_PLACES = 100_000
"""Places that labels may take one-hot."""


def tu_dataset(
    name: str,
    root: Path,
    attributes: bool | None = None,
    edges: bool = False,
    target: str = "",
) -> Dataset:
    """Read a TU dataset whose raw files are under `root`; what was read is kept beside them, packed
    (`graphs/packed.py`), as long as the files stay as they are.

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
    require(attributes in (None, True, False), "attributes", attributes, "true, false or none")
    require(edges in (True, False), "edges", edges, "true or false")
    files = tu_layout(root / name / "raw", name)
    possible = [kind for kind, part in TARGETS.items() if files.has(part)]
    require(target in ("", *possible), "target", target, f"{' or '.join(possible)} for {name}")
    if edges and not any(map(files.has, OF_EDGES)):
        raise UsageError(f"{name} has no labels or attributes of edges: leave edges=true out.")
    graphs = _read_or_open(files, root, edges)
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
        notes=unused_files(files, edges, values=not graphs.has_classes),
    )


def unused_files(files: Layout, edges: bool = False, values: bool = False) -> tuple[str, ...]:
    """Return a sentence on each kind of data that is there and is not used."""
    unused = dict.fromkeys(() if edges else OF_EDGES, "edges=true")
    unused |= {} if values else {"graph_attributes": "target=attributes"}
    return tuple(
        f"{part.replace('_', ' ')} are there and not used: --data {option}."
        for part, option in unused.items()
        if files.has(part)
    )


def count_attributes(files: Layout) -> int:
    """Return how many continuous attributes a node has."""
    path = files.path("node_attributes")
    return first_line(path).count(",") + 1 if path.is_file() else 0


def _read_or_open(files: Layout, root: Path, edges: bool) -> Graphs:
    """Return the packed copy, or make it from the text files; one with edges is kept apart."""
    folder = root / files.name / ("packed-edges" if edges else "packed")
    try:
        about = [(path.name, path.stat()) for path in files.files()]
        sizes = {name: [stat.st_size, stat.st_mtime_ns] for name, stat in about}
        stamp = {"reading": READING, "files": sizes}
        with suppress(SmixupError, LookupError, TypeError, ValueError, RuntimeError):
            packed = open_packed(folder)
            if packed.notes == stamp:
                return packed[:]
        graphs = read_tu(files, edges)
        if folder.exists() and not is_packed(folder):
            shutil.rmtree(folder, ignore_errors=True)  # something else, or remains
        try:
            with PackedWriter(folder, stamp) as writer:
                writer.add(graphs)
        except SmixupError as reason:
            warn_user(f"the text files will be read again the next time: {reason}")
        return graphs
    except (OSError, SmixupError) as reason:
        raise SmixupError(
            f"the files of {files.name} under {root} cannot be read ({str(reason).rstrip('.')}); "
            "import it again: smixup data import PATH."
        ) from reason


def check_tu(name: str, root: Path) -> None:
    """Check the files of a dataset under a root, also of what edges have, and make graphs once."""
    files = tu_layout(root / name / "raw", name)
    read_tu(files)
    _edge_features(files, len(read_integers(files.path("A"), 2)))


def read_tu(files: Layout, edges: bool = False) -> Graphs:
    """Return graphs whose targets are classes, or values where there are none; node attributes
    stand beside the one-hot labels, and edges have features if asked for.
    """
    indicator = files.path("graph_indicator")
    graph_of = read_integers(indicator, 1)[:, 0]
    if not graph_of.size or graph_of[0] != 1 or not np.isin(np.diff(graph_of), (0, 1)).all():
        raise SmixupError(
            f"{shown(indicator.name)} must number the graphs 1, 2, ... in order, without gaps."
        )
    n, sizes = graph_of.size, np.bincount(graph_of - 1)
    y, has_classes = _numbers(files, "graph_attributes", sizes.size), files.has("graph_labels")
    if has_classes:
        labels = _table(files, "graph_labels", sizes.size, partial(read_integers, columns=1))
        names, places = np.unique(labels, return_inverse=True)
        what = f"graph labels with {names.size:,} classes"
        require_room(8 * names.size * sizes.size, what, "call values graph_attributes")
        y = F.one_hot(torch.from_numpy(places.reshape(-1))).float()
    path = files.path("A")
    lines = read_integers(path, 2) - 1
    require_none((lines < 0) | (lines >= n), path, f"names a node outside 1 to {n}")
    graphs_of_ends = graph_of[lines]
    require_none(graphs_of_ends[:, :1] != graphs_of_ends[:, 1:], path, "joins two different graphs")
    ends, features = torch.from_numpy(lines.T.copy()), None
    if edges:
        ends, features = remove_self_loops(ends, _edge_features(files, ends.size(1)))
        ends, features = _both_ways(ends, features, n)
    else:
        ends = to_undirected(remove_self_loops(ends)[0], num_nodes=n)
    ptr, x = offsets(torch.from_numpy(sizes)), _labels(files, "node_labels", n)
    graphs = graphs_of(ptr, x, ends, edge_attr=features)
    attributes = _numbers(files, "node_attributes", n)
    return graphs.replace(y=y, has_classes=has_classes, node_attrs={ATTRIBUTES: attributes})


def _edge_features(files: Layout, lines: int) -> Tensor:
    """Return the features of every line of edges `[m, k]`: attributes, then labels one-hot."""
    attributes = _numbers(files, "edge_attributes", lines)
    return torch.cat([attributes, _labels(files, "edge_labels", lines).float()], 1)


def _both_ways(ends: Tensor, features: Tensor, nodes: int) -> tuple[Tensor, Tensor]:
    """Return every edge once and in both directions; one listed in both may differ in features."""
    once, least = coalesce(ends, features, nodes, "min")
    _, most = coalesce(ends, features, nodes, "max")
    odd = (least != most).any(1)
    if odd.any():
        source, target = (once[:, odd][:, 0] + 1).tolist()
        raise SmixupError(
            f"its edges list {source}, {target} more than once, with other labels or attributes: "
            "keep one line, or leave edges=true out."
        )
    back = once.flip(0)
    alone = ~torch.isin(back[0] * nodes + back[1], once[0] * nodes + once[1])
    return torch.cat([once, back[:, alone]], 1), torch.cat([least, least[alone]])


def _table(files: Layout, part: str, rows: int, read: Callable[[Path], Any]) -> NDArray[Any]:
    """Return the table of a part `[rows, k]`, of width 0 if there is no such file."""
    path = files.path(part)
    table: NDArray[Any] = read(path) if path.is_file() else np.zeros((rows, 0), np.int64)
    require_rows(path, len(table), rows)
    return table


def _numbers(files: Layout, part: str, rows: int) -> Tensor:
    return torch.from_numpy(_table(files, part, rows, read_numbers)).float()


def _labels(files: Layout, part: str, rows: int) -> Tensor:
    """Return columns of labels one-hot, in bytes, each from its smallest value to its largest."""
    labels = _table(files, part, rows, read_integers)
    if not labels.size:
        return torch.zeros(rows, 0, dtype=torch.uint8)
    ends = zip(labels.min(0).tolist(), labels.max(0).tolist(), strict=True)  # whole, of any size
    widths = [last - first + 1 for first, last in ends]
    name = shown(files.path(part).name)
    if sum(widths) > MOST_PLACES:
        raise SmixupError(
            f"{name} holds labels of {sum(widths):,} places one-hot, and {MOST_PLACES:,} are "
            "the most: number them 0, 1, 2, ..., or call them attributes."
        )
    require_room(sum(widths) * rows, f"{name} one-hot", "number labels 0, 1, 2")
    return one_hot_columns(labels - labels.min(0), widths)


def require_none(odd: NDArray[np.bool_], path: Path, what: str) -> None:
    """Refuse a file of which some cells are odd `[rows, k]`, and name the first line."""
    if odd.any():
        line = int(odd.any(1).argmax()) + 1
        raise SmixupError(f"{shown(path.name)} {what} in line {line}.")


def require_rows(path: Path, rows: int, expected: int) -> None:
    """Refuse a file with another number of lines than the other files call for."""
    if rows != expected:
        raise SmixupError(
            f"{shown(path.name)} has {rows} lines where the other files call for {expected}."
        )
