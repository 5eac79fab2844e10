"""The TUDataset collection, read from text files under the data root."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Dataset
from smixup.datasets.tu_text import TUText, read_tu, tu_file
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.packed import PackedGraphs
from smixup.graphs.packed_columns import Columns
from smixup.graphs.packed_writer import PackedWriter
from smixup.graphs.ragged import offsets
from smixup.packed_folder import is_packed
from smixup.warning import warn_user

ATTRIBUTES = "attributes"
READING = 1
"""Of what is kept; a copy of another number is made again."""
PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")


def tu_dataset(name: str, root: Path, attributes: bool | None = None) -> Dataset:
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
    """
    fine = attributes is None or isinstance(attributes, bool)
    require(fine, "attributes", attributes, "true, false or none")
    graphs = _read(name, root)
    numbers, labels = graphs.node_attrs[ATTRIBUTES], graphs.x
    used = _attributes_used(name, numbers, labels, attributes)
    graphs = graphs.replace(x=_features(numbers, labels, used), node_attrs={})
    return Dataset(name, graphs, unused_attributes=0 if used else numbers.size(1))


def _read(name: str, root: Path) -> Graphs:
    """Return the packed copy, or make it from the text files."""
    raw, folder = root / name / "raw", root / name / "packed"
    _require_classes(name, raw)
    try:
        stamp = _stamp(raw, name)
        kept = _kept(folder, stamp)
        return _made(read_tu(raw, name), folder, stamp) if kept is None else kept
    except (OSError, SmixupError) as reason:
        raise _unreadable(name, root, str(reason).rstrip(".")) from reason


def _unreadable(name: str, root: Path, reason: str) -> SmixupError:
    advice = "import it again: smixup data import PATH"
    return SmixupError(f"the files of {name} under {root} cannot be read ({reason}); {advice}.")


def _require_classes(name: str, raw: Path) -> None:
    if tu_file(raw, name, "graph_attributes").is_file():
        raise SmixupError(
            f"{name} is not a graph classification dataset: it has no one class per graph."
        )


def _stamp(raw: Path, name: str) -> dict[str, Any]:
    """Return what tells whether a copy was made of these files, by this code."""
    files = [tu_file(raw, name, part) for part in PARTS]
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
        columns = Columns(folder)
        if columns.manifest["notes"] != stamp:
            return None
        return PackedGraphs(columns)[:]
    except (SmixupError, LookupError, TypeError, ValueError, RuntimeError):
        return None


def _made(text: TUText, folder: Path, stamp: dict[str, Any]) -> Graphs:
    """Return the graphs of text files, and keep a packed copy, which appears in one step."""
    graphs = _graphs(text)
    if folder.exists() and not is_packed(folder):
        shutil.rmtree(folder, ignore_errors=True)  # something else, or remains
    try:
        with PackedWriter(folder, stamp) as writer:
            writer.add(graphs)
    except SmixupError as reason:
        if _kept(folder, stamp) is None:  # otherwise another process was faster
            warn_user(f"the text files will be read again the next time: {reason}")
    return graphs


def _graphs(text: TUText) -> Graphs:
    counts, neighbours = (torch.from_numpy(each) for each in text.neighbours())
    n = counts.numel()
    ones = torch.ones(neighbours.numel())
    return Graphs(
        x=torch.from_numpy(text.one_hot_labels()),
        adj=SparseOperator(offsets(counts), neighbours, ones, n, symmetric=True),
        y=F.one_hot(torch.from_numpy(text.classes)).float(),
        ptr=offsets(torch.from_numpy(text.sizes)),
        node_attrs={ATTRIBUTES: torch.from_numpy(text.node_attributes).float()},
    )


def _attributes_used(name: str, numbers: Tensor, labels: Tensor, wanted: bool | None) -> bool:
    """Tell whether attributes become features: as wanted, else where there is nothing else."""
    if wanted and not numbers.size(1):
        raise UsageError(f"{name} has no node attributes: leave attributes=true out.")
    if wanted is None:
        return bool(numbers.size(1)) and not labels.size(1)
    return wanted


def _features(numbers: Tensor, labels: Tensor, attributes: bool) -> Tensor:
    if attributes:
        return torch.cat([numbers, labels.float()], 1)
    return labels if labels.size(1) else numbers[:, :0]
