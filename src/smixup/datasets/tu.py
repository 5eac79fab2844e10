"""The TUDataset collection, read from text files under the data root."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.utils import coalesce, remove_self_loops, to_undirected

from smixup.datasets.base import Dataset
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.sources import Layout, tu_layout
from smixup.datasets.tables import read_integers, read_numbers, require_none
from smixup.errors import SmixupError, UsageError, require, shown
from smixup.graphs.ragged import offsets
from smixup.memory import require_room
from smixup.tasks import Classes, Task, Values

OF_EDGES = ("edge_labels", "edge_attributes")


def tu_dataset(
    name: str, root: Path, attributes: bool | None = None, edges: bool = False
) -> Dataset:
    """A set of the TU collection, NAME_A.txt and others: smixup data import PATH.

    Node labels become one-hot features. Graphs are simple and undirected: loops and repeated edges
    are dropped, and an edge listed in one direction counts in both. Targets are the graph labels,
    which are classes, or else the graph attributes, which are values.

    Args:
        name: the publisher's spelling, for instance `IMDB-BINARY`.
        root: the data root.
        attributes: put continuous node attributes before the one-hot labels, or leave them out;
            None takes them where there are no labels. They are standardised by `encode_features`,
            once the training split is known.
        edges: give edges features, `edge_attrs["edge_attr"]`: attributes as they are, then labels
            one-hot. Without it, what is there is told in `Dataset.notes`.
    """
    require(attributes in (None, True, False), "attributes", attributes, "true, false or none")
    require(edges in (True, False), "edges", edges, "true or false")
    files = tu_layout(root / name / "raw", name)
    for wanted, parts in ((attributes, ["node_attributes"]), (edges, OF_EDGES)):
        if wanted and not any(map(files.has, parts)):
            raise UsageError(f"{name} has no {' or '.join(parts)}: leave the option out.")
    labelled = files.has("node_labels")
    try:
        ptr, graph_of = _nodes(files)
        x = _labels(files, "node_labels", len(graph_of))
        if attributes or (attributes is None and not labelled):
            x = torch.cat([_numbers(files, "node_attributes", len(graph_of)), x.float()], 1)
        ends, features = _edges(files, graph_of, edges)
        task, y = _targets(files, len(ptr) - 1)
    except (OSError, SmixupError) as reason:
        raise SmixupError(
            f"the files of {name} under {root} cannot be read ({str(reason).rstrip('.')}); "
            "import it again: smixup data import PATH."
        ) from reason
    has_classes = isinstance(task, Classes)
    unused = {
        "node_attributes": attributes is None and labelled and "--data attributes=true",
        **dict.fromkeys(OF_EDGES, not edges and "--data edges=true"),
        "graph_attributes": has_classes and "without graph labels they would be the targets",
    }
    graphs = graphs_of(ptr, x, ends, edge_attr=features)
    return Dataset(
        name,
        graphs.replace(y=y, has_classes=has_classes),
        metric=task.metrics[0],
        task=task,
        notes=tuple(
            f"{part.replace('_', ' ')} are there and not used: {how}."
            for part, how in unused.items()
            if how and files.has(part)
        ),
    )


def _nodes(files: Layout) -> tuple[Tensor, NDArray[np.int64]]:
    """Return where the nodes of each graph begin, and the graph of each node, counted from 1."""
    path = files.path("graph_indicator")
    graph_of = read_integers(path, 1)[:, 0]
    if not graph_of.size or graph_of[0] != 1 or not np.isin(np.diff(graph_of), (0, 1)).all():
        raise SmixupError(
            f"{shown(path.name)} must number the graphs 1, 2, ... in order, without gaps."
        )
    return offsets(torch.from_numpy(np.bincount(graph_of)[1:])), graph_of


def _targets(files: Layout, graphs: int) -> tuple[Task, Tensor]:
    if files.has("graph_attributes") and not files.has("graph_labels"):
        y = _numbers(files, "graph_attributes", graphs)
        return Values(tuple(f"attribute {place + 1}" for place in range(y.size(1)))), y
    labels = read_integers(files.path("graph_labels"), 1, graphs)
    names, places = np.unique(labels, return_inverse=True)  # such as -1 and 1
    return Classes(tuple(names.tolist())), F.one_hot(torch.from_numpy(places.reshape(-1))).float()


def _edges(
    files: Layout, graph_of: NDArray[np.int64], with_features: bool
) -> tuple[Tensor, Tensor | None]:
    """Return every edge once and in both directions, and what edges have, if it is wanted:
    attributes, then labels one-hot.
    """
    path, n = files.path("A"), len(graph_of)
    lines = read_integers(path, 2) - 1
    require_none((lines < 0) | (lines >= n), path, f"names a node outside 1 to {n}")
    graphs_of_ends = graph_of[lines]
    require_none(graphs_of_ends[:, :1] != graphs_of_ends[:, 1:], path, "joins two different graphs")
    ends = torch.from_numpy(lines.T.copy())
    if not with_features:
        return to_undirected(remove_self_loops(ends)[0], num_nodes=n), None
    attributes = _numbers(files, "edge_attributes", len(lines))
    features = torch.cat([attributes, _labels(files, "edge_labels", len(lines)).float()], 1)
    ends, features = remove_self_loops(ends, features)
    once, least = coalesce(ends, features, n, "min")
    _, most = coalesce(ends, features, n, "max")
    odd = (least != most).any(1)
    if odd.any():
        source, target = (once[:, odd][:, 0] + 1).tolist()
        raise SmixupError(
            f"its edges list {source}, {target} more than once, with other labels or attributes: "
            "keep one line, or leave edges=true out."
        )
    back = once.flip(0)
    alone = ~torch.isin(back[0] * n + back[1], once[0] * n + once[1])
    return torch.cat([once, back[:, alone]], 1), torch.cat([least, least[alone]])


def _numbers(files: Layout, part: str, rows: int) -> Tensor:
    """Return the attributes of a part `[rows, k]`, of width 0 if there is no such file."""
    path = files.path(part)
    if not path.is_file():
        return torch.zeros(rows, 0)
    return torch.from_numpy(read_numbers(path, rows)).float()


def _labels(files: Layout, part: str, rows: int) -> Tensor:
    """Return columns of labels one-hot, in bytes, each from its smallest value to its largest."""
    path = files.path(part)
    if not path.is_file():
        return torch.zeros(rows, 0)
    labels = read_integers(path, rows=rows)
    ends = zip(labels.min(0).tolist(), labels.max(0).tolist(), strict=True)  # whole, of any size
    widths = [last - first + 1 for first, last in ends]
    require_room(sum(widths) * rows, f"{path.name} one-hot", "number labels 0, 1, 2, ...")
    return one_hot_columns(labels - labels.min(0), widths)
