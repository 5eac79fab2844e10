"""Graphs that are in memory already, or at a path: one function for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.graphml import (
    OPTIONS,
    graph_attributes,
    networkx_dataset,
    read_graphml,
)
from smixup.datasets.readers.labels import answers, answers_of_array
from smixup.datasets.readers.matrices import dataset_of_stack, read_matrices
from smixup.datasets.readers.matrix_files import stack_of_arrays
from smixup.datasets.readers.registry import options_of
from smixup.datasets.readers.saved_list import FEATURES, pyg_dataset, read_saved_list
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs

NAME = Path("graphs")
MATRICES = ("array", "threshold", "density", "sign", "features")


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
            `[graphs, nodes, nodes]`, a dictionary of arrays as an `.npz` file has them
            (`read_matrices`), or `Graphs`.
        y: the targets, one for each graph, `[G]` or `[G, T]`.
        target: the attributes of networkx graphs that are targets, or the columns of files.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        like: how graphs were read before, `dataset.reading`: features are then the same.
        options: further ones, of the reader of such files: `weight`, `categories`, `ignore` and
            `directions` for networkx, `encode` for PyG, `threshold`, `density`, `sign` and
            `features` for matrices.
    """
    if isinstance(source, str | Path):
        from smixup.datasets.catalogue import load_dataset

        if y is not None:
            raise UsageError("y is for graphs in Python: the targets of files stand beside them.")
        named = {"target": target, "task": task, "like": like}
        return load_dataset(source, **{k: own for k, own in named.items() if own}, **options)
    if isinstance(source, Graphs):
        _require_options("graphs that were read before", options, ())
        if y is None:
            raise UsageError("these graphs were read before: give y=[...] for other targets.")
        answered = answers_of_array(y, len(source), task, like)
        reading = Reading("saved-list", {}, {FEATURES: source.num_features})
        return dataset_of(NAME, source, answered, reading)
    if isinstance(source, np.ndarray | Tensor):
        source = {"matrices": source}
    if isinstance(source, Data):
        source = source.to_data_list() if isinstance(source, Batch) else [source]
    if not isinstance(source, Mapping):
        source = list(source) if isinstance(source, Iterable) else [source]
        if not source:
            raise UsageError("there are no graphs: the list is empty.")
        if isinstance(source[0], nx.Graph):
            return _networkx(source, y, target, task, like, options)
        if isinstance(source[0], np.ndarray) and source[0].ndim == 2:
            if len({np.shape(matrix) for matrix in source}) > 1:
                raise SmixupError("matrices have several shapes: all need the same nodes.")
            source = {"matrices": np.stack(source)}
    if target is not None:
        raise UsageError("target names columns of files or attributes of networkx graphs: give y.")
    if isinstance(source, Mapping):
        return _arrays(source, y, {**options, "task": task}, like)
    if not isinstance(source[0], Data):
        raise UsageError(
            "graphs are a path, a list of PyG's Data or of networkx graphs, or arrays of matrices, "
            f"not a {type(source[0]).__name__}."
        )
    _require_options("a list of PyG graphs", options, ("encode",))
    every, kept = options_of(read_saved_list, {**options, "task": task}, like)
    answers_given = None if y is None else answers_of_array(y, len(source), task, like)
    return pyg_dataset(source, NAME, answers_given, every, kept, like)


def _networkx(
    graphs: list[Any], y: Any, target: Any, task: str, like: Reading | None, options: Any
) -> Dataset:
    _require_options("a list of networkx graphs", options, OPTIONS)
    if y is not None and target is not None:
        raise UsageError("y and target both tell the targets: give one.")
    every, kept = options_of(read_graphml, {**options, "target": target}, like)
    names = [f"graph {place}" for place in range(len(graphs))]
    table, answered = graph_attributes(graphs), None
    if y is not None:
        answered = answers_of_array(y, len(graphs), task, like, table)
    elif every["target"] is not None and table:
        rows, where = range(len(graphs)), "the attributes of the graphs"
        answered = answers(table, rows, None, every["target"], task, like, where)
    return networkx_dataset(NAME, graphs, names, answered, every, kept, like)


def _arrays(
    arrays: Mapping[str, Any], y: Any, options: Mapping[str, Any], like: Reading | None
) -> Dataset:
    _require_options("arrays", options, (*MATRICES, "task"))
    plain = {name: np.asarray(value) for name, value in arrays.items()}
    if y is not None:
        if "y" in plain:
            raise UsageError("y is given twice: in the dictionary and beside it.")
        plain["y"] = np.asarray(y, object)
    every, kept = options_of(read_matrices, options, like)
    stack = stack_of_arrays(plain, "the dictionary", every["array"])
    return dataset_of_stack(NAME, stack, None, every, kept, like)


def _require_options(what: str, options: Mapping[str, Any], allowed: Iterable[str]) -> None:
    for name in options:
        if name not in allowed:
            raise UsageError(
                f"{what} takes no option '{name}'; it takes {', '.join(allowed) or 'none'}."
            )
