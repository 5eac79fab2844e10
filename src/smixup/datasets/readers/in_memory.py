"""Graphs that are in memory already, or at a path: one function for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.graphml import read_graphml
from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.registry import require_options
from smixup.datasets.readers.saved_list import read_saved_list
from smixup.errors import SmixupError, UsageError


def read_graphs(
    source: Any,
    y: Any = None,
    *,
    target: Any = None,
    task: str = "",
    like: Reading | None = None,
    **options: Any,
) -> Dataset:
    """Return graphs as a dataset, whatever they are.

    Example::

        read_graphs("proteins/")                                # a path: files, see the guide
        read_graphs([data1, data2, ...])                        # PyG, with its own y
        read_graphs([G1, G2, ...], y=["ring", "star", ...])     # networkx, and classes
        read_graphs([G1, G2, ...], target="energy")             # ... or an attribute of the graphs
        read_graphs({"matrices": A, "y": y}, density=0.2)       # NumPy, [graphs, nodes, nodes]

    What `y` asks is seen from it, and never guessed: names and whole numbers are classes, a list
    of floats is regression, columns of 0, 1 and NaN are labels; see `tasks/reading.py`.

    Args:
        source: a path, a list of PyG's `Data`, a PyG dataset, a list of networkx graphs, an array
            `[graphs, nodes, nodes]`, or arrays by name as an `.npz` file has them.
        y: the targets, one for each graph, `[G]` or `[G, T]`.
        target: the attributes of networkx graphs that are targets, or the columns of files.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        like: how graphs were read before, `dataset.reading`: features are then the same.
        options: those of the reader of such files: `weight`, `categories`, `ignore`, `directions`
            for networkx, `encode` for PyG, `threshold`, `density`, ... for matrices.
    """
    named = {"y": y, "target": target, "task": task or None, "like": like}
    named = {name: value for name, value in named.items() if value is not None}
    if isinstance(source, str | Path):
        from smixup.datasets.catalogue import load_dataset

        if y is not None:
            raise UsageError("y is for graphs in Python: the targets of files stand beside them.")
        return load_dataset(source, **named, **options)
    what, reader, graphs = _reader_of(source)
    if target is not None and (y is not None or reader is not read_graphml):
        raise UsageError(
            "target names columns of files or attributes of networkx graphs that have no y: give y "
            "alone."
        )
    require_options(what, reader, options)
    return reader(graphs, **named, **options)


def _reader_of(source: Any) -> tuple[str, Callable[..., Dataset], Any]:
    """Return words for graphs, their reader, and what it takes."""
    if isinstance(source, np.ndarray | Tensor):
        source = {"matrices": source}
    if isinstance(source, Mapping):
        return "a stack of matrices", read_matrices, source
    if isinstance(source, Data):
        source = source.to_data_list() if isinstance(source, Batch) else [source]
    graphs = list(source) if isinstance(source, Iterable) else [source]
    first = graphs[0] if graphs else None
    if isinstance(first, np.ndarray):
        if len({np.shape(matrix) for matrix in graphs}) > 1:
            raise SmixupError("matrices have several shapes: all need the same nodes.")
        return "a stack of matrices", read_matrices, {"matrices": np.stack(graphs)}
    if isinstance(first, nx.Graph):
        return "a list of networkx graphs", read_graphml, graphs
    if isinstance(first, Data):
        return "a list of PyG graphs", read_saved_list, graphs
    raise UsageError(
        "graphs are a path, a list of PyG's Data or of networkx graphs, or arrays of matrices, not "
        f"a {type(first if graphs else source).__name__}."
    )
