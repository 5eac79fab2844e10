"""How many graphs a dataset has and how large they are, told without loading it."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from smixup.datasets import data_root
from smixup.datasets.catalogue import PUBLISHED, canonical_name
from smixup.datasets.sources import SOURCES, source_of
from smixup.datasets.tu_layout import TULayout
from smixup.packed_folder import is_packed, read_manifest

CHUNK = 1 << 20
NUM_GRAPHS = "num_graphs"


def graph_count(
    dataset: str, root: Path | None = None, options: Mapping[str, Any] | None = None
) -> int | None:
    """Return how many graphs a dataset has: packed, generated, at the data root, or in the paper's
    Table 2; None if that is not known.

    Args:
        dataset: a name in any case, or the folder of a packed one.
        root: the data root.
        options: parameters of the dataset; `num_graphs` of one that is generated.
    """
    name = canonical_name(dataset, root)
    if name is None:
        return None
    if is_packed(name):
        return int(read_manifest(Path(name))["graphs"])
    made = signature(SOURCES.factory(source_of(name))).parameters.get(NUM_GRAPHS)
    if made is not None:
        return int((options or {}).get(NUM_GRAPHS, made.default))
    labels = TULayout(data_root(root) / name / "raw", name).path("graph_labels")
    if labels.is_file():
        return sum(bool(line.strip()) for line in labels.read_bytes().splitlines())
    return {entry.name: entry.table2.graphs for entry in PUBLISHED if entry.table2}.get(name)


def average_nodes(dataset: str, root: Path | None = None) -> float | None:
    """Return the average number of nodes per graph; None for graphs that are generated, or not at
    hand yet.

    Args:
        dataset: a name in any case.
        root: the data root.
    """
    name = canonical_name(dataset, root)
    known = {entry.name: entry.table2.average_nodes for entry in PUBLISHED if entry.table2}
    if name is None or name in known:
        return known.get(name or "")
    layout = TULayout(data_root(root) / name / "raw", name)
    files = [layout.path(part) for part in ("graph_indicator", "graph_labels")]
    if not all(file.is_file() for file in files):
        return None
    nodes, graphs = map(_lines, files)
    return nodes / max(graphs, 1)


def _lines(file: Path) -> int:
    with file.open("rb") as opened:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: opened.read(CHUNK), b""))
