"""The TUDataset collection, read from text files under the data root."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Dataset
from smixup.datasets.readers.assembly import graphs_of
from smixup.datasets.text import read_integers, read_numbers
from smixup.datasets.tu_files import TUText, read_tu, tu_file, unused_parts
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.packed import open_packed
from smixup.graphs.packing import PackedWriter
from smixup.graphs.ragged import offsets
from smixup.packed_folder import is_packed
from smixup.tasks import Classes, Values
from smixup.warning import warn_user

ATTRIBUTES = "attributes"
READING = 1
"""Of what is kept; a copy of another number is made again."""
PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")
OF_EDGES = ("edge_labels", "edge_attributes")
TARGETS = {"classes": "graph_labels", ATTRIBUTES: "graph_attributes"}
OF_GRAPHS = tuple(TARGETS.values())


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
    raw = root / name / "raw"
    _require_parts(name, raw, edges, target)
    graphs = _read(name, root, edges)
    numbers, labels = graphs.node_attrs[ATTRIBUTES], graphs.x
    used = _attributes_used(name, numbers, labels, attributes)
    x = torch.cat([numbers, labels.float()], 1) if used else labels
    x = x if x.size(1) else numbers[:, :0]
    graphs = graphs.replace(x=x, node_attrs={})
    if target == ATTRIBUTES and graphs.has_classes:
        values = read_numbers(tu_file(raw, name, "graph_attributes"))
        graphs = graphs.replace(y=torch.from_numpy(values).float(), has_classes=False)
    task: Classes | Values
    if graphs.has_classes:  # under the numbers of the publisher, such as -1 and 1
        labels_file = read_integers(tu_file(raw, name, "graph_labels"), 1)
        task = Classes(tuple(np.unique(labels_file).tolist()))
    else:
        task = Values(tuple(f"attribute {place + 1}" for place in range(graphs.num_classes)))
    return Dataset(
        name,
        graphs,
        metric=task.metrics[0],
        unused_attributes=0 if used else numbers.size(1),
        task=task,
        notes=tuple(unused_parts(raw, name, edges, values=not graphs.has_classes)),
    )


def _read(name: str, root: Path, edges: bool) -> Graphs:
    """Return the packed copy, or make it from the text files; one with features of edges is kept
    apart, so that nobody reads them who does not want them.
    """
    raw, folder = root / name / "raw", root / name / ("packed-edges" if edges else "packed")
    try:
        stamp = _stamp(raw, name, edges)
        kept = _kept(folder, stamp)
        return _made(read_tu(raw, name, edges), folder, stamp) if kept is None else kept
    except (OSError, SmixupError) as reason:
        raise SmixupError(
            f"the files of {name} under {root} cannot be read ({str(reason).rstrip('.')}); import "
            "it again: smixup data import PATH."
        ) from reason


def _require_parts(name: str, raw: Path, edges: bool, target: str) -> None:
    """Refuse what was asked for and is not there."""
    found = {part for part in (*OF_EDGES, *OF_GRAPHS) if tu_file(raw, name, part).is_file()}
    if edges and found.isdisjoint(OF_EDGES):
        raise UsageError(f"{name} has no labels or attributes of edges: leave edges=true out.")
    if target and TARGETS[target] not in found:
        others = " or ".join(each for each, part in TARGETS.items() if part in found)
        raise UsageError(f"{name} has no {target} of graphs to predict: take target={others}.")


def _stamp(raw: Path, name: str, edges: bool) -> dict[str, Any]:
    """Return what tells whether a copy was made of these files, by this code."""
    parts: tuple[str, ...] = (*PARTS, *OF_EDGES) if edges else PARTS
    if not tu_file(raw, name, "graph_labels").is_file():
        parts += (TARGETS[ATTRIBUTES],)
    files = [tu_file(raw, name, part) for part in parts]
    found = [(path.name, path.stat()) for path in files if path.is_file()]
    return {
        "reading": READING,
        "files": {file: [status.st_size, status.st_mtime_ns] for file, status in found},
    }


def _kept(folder: Path, stamp: dict[str, Any]) -> Graphs | None:
    """Return the packed copy, or None if there is none, or one of other files, or half of one."""
    if not folder.is_dir():
        return None
    try:
        graphs = open_packed(folder)
        return graphs[:] if graphs.notes == stamp else None
    except (SmixupError, LookupError, TypeError, ValueError, RuntimeError):
        return None


def _made(text: TUText, folder: Path, stamp: dict[str, Any]) -> Graphs:
    """Return the graphs of text files, and keep a packed copy, which appears in one step."""
    graphs = graphs_of_text(text)
    if folder.exists() and not is_packed(folder):
        shutil.rmtree(folder, ignore_errors=True)  # something else, or remains
    try:
        with PackedWriter(folder, stamp) as writer:
            writer.add(graphs)
    except SmixupError as reason:
        if _kept(folder, stamp) is None:  # otherwise another process was faster
            warn_user(f"the text files will be read again the next time: {reason}")
    return graphs


def graphs_of_text(text: TUText) -> Graphs:
    """Return graphs whose targets are classes, or values where there are none; node attributes
    stand beside the one-hot labels, and edges have the features that were read.
    """
    counts, neighbours = (torch.from_numpy(each) for each in text.neighbours())
    n = counts.numel()
    ones = torch.ones(neighbours.numel())
    adj = SparseOperator(offsets(counts), neighbours, ones, n, symmetric=True)
    x, ptr = torch.from_numpy(text.one_hot_labels()), offsets(torch.from_numpy(text.sizes))
    edge_attrs = {}
    if text.edge_labels.shape[1] or text.edge_attributes.shape[1]:
        edge_index, features = (torch.from_numpy(array) for array in text.edge_features())
        edge_attrs = dict(graphs_of(ptr, x, edge_index, edge_attr=features).edge_attrs)
    has_classes = bool(text.graph_labels.size)
    y = (
        F.one_hot(torch.from_numpy(text.classes)).float()
        if has_classes
        else torch.from_numpy(text.graph_attributes).float()
    )
    return Graphs(
        x=x,
        adj=adj,
        y=y,
        ptr=ptr,
        node_attrs={ATTRIBUTES: torch.from_numpy(text.node_attributes).float()},
        edge_attrs=edge_attrs,
        has_classes=has_classes,
    )


def _attributes_used(name: str, numbers: Tensor, labels: Tensor, wanted: bool | None) -> bool:
    """Tell whether attributes become features: as wanted, else where there is nothing else."""
    if wanted and not numbers.size(1):
        raise UsageError(f"{name} has no node attributes: leave attributes=true out.")
    if wanted is None:
        return bool(numbers.size(1)) and not labels.size(1)
    return wanted
