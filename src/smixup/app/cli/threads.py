"""How many CPU threads a verb may use.

Small graphs gain little from a second thread, and where another process wants the core they pay
for it: threads that wait for one another spin. So one thread is the default, and more are taken
only for work that is large, as far as cores are idle.
"""

from __future__ import annotations

import os
from pathlib import Path

from smixup.errors import UsageError

VARIABLE, TORCHS_OWN, NUMPYS_OWN = "SMIXUP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"
LARGE_GRAPHS = 200
"""Average number of nodes from which graphs are large."""

LARGE_BATCH = 10**6
"""Values in a layer of a classifier, over all nodes of a batch, from which it is large."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def idle_cores() -> int:
    """Return how many cores nobody else has used over the last minute, one at least."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, cores() - round(busy))


def set_threads(
    threads: int | None, *datasets: str, root: Path | None = None, per_node: float = 0
) -> None:
    """Limit torch to so many threads.

    If none are given, `SMIXUP_THREADS` decides; then `OMP_NUM_THREADS`, which torch itself obeys;
    then it is one, or as many as cores are idle for large work. NumPy, which has only small things
    to do here, takes one unless a variable of its own says otherwise.

    Args:
        threads: what the user says.
        datasets: whose graphs the work is about.
        root: the data root.
        per_node: values of a layer per node of a graph, times the graphs of a batch.
    """
    os.environ.setdefault(NUMPYS_OWN, "1")  # read when NumPy is imported
    if threads is None:
        threads = _named()
    if threads is None and os.environ.get(TORCHS_OWN):
        return
    if threads is None:
        large = any(is_large(dataset, root, per_node) for dataset in datasets)
        threads = idle_cores() if large else 1
    if threads < 1:
        raise UsageError(f"threads must be 1 or more, not {threads}.")
    import torch

    torch.set_num_threads(threads)


def is_large(dataset: str, root: Path | None = None, per_node: float = 0) -> bool:
    """Tell whether work on a dataset gains from a second thread; what is not known is small."""
    from smixup.app.runs.graph_sizes import average_nodes

    nodes = average_nodes(dataset, root) or 0
    return nodes >= LARGE_GRAPHS or nodes * per_node >= LARGE_BATCH


def _named() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{VARIABLE} must be a number of threads, 1 or more, not '{text}'.")
    return int(text)
