"""How large the graphs of a dataset are, told without loading it."""

from __future__ import annotations

from pathlib import Path

from smixup.datasets import data_root
from smixup.datasets.catalogue import PUBLISHED, canonical_name
from smixup.datasets.layouts import TULayout

CHUNK = 1 << 20


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
