"""How many CPU threads a command uses: one, or more for large graphs as far as cores are idle.

Small graphs gain little from a second thread, and where another process wants the core they pay
for it: threads that wait for one another spin.
"""

from __future__ import annotations

import os
from pathlib import Path

from smixup.errors import UsageError

LARGE_GRAPHS = 200
"""Average number of nodes from which graphs are large."""
LARGE_BATCH = 10**6
"""Values in a layer of a classifier, over all nodes of a batch, from which it is large."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(dataset: str = "", root: Path | None = None, width: float = 0) -> None:
    """Limit torch to the threads of `SMIXUP_THREADS`, or of `OMP_NUM_THREADS`, which it obeys
    itself; else to one, or to the idle cores if the graphs of a dataset are large, or batches of
    which a layer has so many values per node (`width`).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported
    named = os.environ.get("SMIXUP_THREADS", "")
    if named and not (named.isdecimal() and int(named)):
        raise UsageError(f"SMIXUP_THREADS must be a number of threads, not '{named}'.")
    if not named and os.environ.get("OMP_NUM_THREADS"):
        return
    nodes = average_nodes(dataset, root) if dataset else 0.0
    large = nodes >= LARGE_GRAPHS or nodes * width >= LARGE_BATCH
    busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
    import torch

    torch.set_num_threads(int(named) if named else max(1, cores() - busy) if large else 1)


def average_nodes(dataset: str, root: Path | None = None) -> float:
    """Return the average number of nodes per graph, 0 if nobody knows before they are loaded."""
    from smixup.datasets.catalogue import PUBLISHED, canonical_name
    from smixup.datasets.layout import data_root
    from smixup.datasets.tu_files import TULayout

    name = canonical_name(dataset, root) or dataset
    known = {entry.name: entry.table2.average_nodes for entry in PUBLISHED if entry.table2}
    layout = TULayout(data_root(root) / name / "raw", name)
    files = [layout.path(part) for part in ("graph_indicator", "graph_labels")]
    if name in known or not all(file.is_file() for file in files):
        return known.get(name, 0.0)
    nodes, graphs = (file.read_bytes().count(b"\n") for file in files)
    return nodes / max(graphs, 1)
