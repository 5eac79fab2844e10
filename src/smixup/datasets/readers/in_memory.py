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
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.graphml import read_graphml
from smixup.datasets.readers.labels import answers_of_array
from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.registry import require_options
from smixup.datasets.readers.saved_list import FEATURES, read_saved_list
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs


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
            `[graphs, nodes, nodes]`, arrays by name as an `.npz` file has them, or `Graphs`.
        y: the targets, one for each graph, `[G]` or `[G, T]`.
        target: the attributes of networkx graphs that are targets, or the columns of files.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        like: how graphs were read before, `dataset.reading`: features are then the same.
        options: those of the reader of such files: `weight`, `categories`, `ignore`, `directions`
            for networkx, `encode` for PyG, `threshold`, `density`, ... for matrices.
    """
    if isinstance(source, str | Path):
        from smixup.datasets.catalogue import load_dataset

        if y is not None:
            raise UsageError("y is for graphs in Python: the targets of files stand beside them.")
        named = {"target": target, "task": task, "like": like}
        return load_dataset(source, **{k: own for k, own in named.items() if own}, **options)
    if isinstance(source, Graphs):
        if y is None:
            raise UsageError("these graphs were read before: give y=[...] for other targets.")
        answered = answers_of_array(y, len(source), task, like)
        return dataset_of(
            None, source, answered, Reading("saved-list", options, {FEATURES: source.num_features})
        )
    if isinstance(source, np.ndarray | Tensor):
        source = {"matrices": source}
    elif isinstance(source, Data):
        source = source.to_data_list() if isinstance(source, Batch) else [source]
    elif not isinstance(source, Mapping):
        source = list(source) if isinstance(source, Iterable) else [source]
        if not source:
            raise UsageError("there are no graphs: the list is empty.")
        if isinstance(source[0], np.ndarray):
            if len({np.shape(matrix) for matrix in source}) > 1:
                raise SmixupError("matrices have several shapes: all need the same nodes.")
            source = {"matrices": np.stack(source)}
    reader: Callable[..., Dataset]
    given = {"y": y, "task": task, "like": like}
    if isinstance(source, Mapping):
        what, reader = "a stack of matrices", read_matrices
    elif isinstance(source[0], nx.Graph):
        what, reader = "a list of networkx graphs", read_graphml
        given["target"] = target
    elif isinstance(source[0], Data):
        what, reader = "a list of PyG graphs", read_saved_list
    else:
        raise UsageError(
            "graphs are a path, a list of PyG's Data or of networkx graphs, or arrays of matrices, "
            f"not a {type(source[0]).__name__}."
        )
    if target is not None and (y is not None or "target" not in given):
        raise UsageError(
            "target names columns of files or attributes of networkx graphs that have no y: give y "
            "alone."
        )
    require_options(what, reader, options)
    return reader(source, **given, **options)
