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
from smixup.datasets.readers.labels import answers, answers_of_array, no_answers
from smixup.datasets.readers.matrices import matrices_of_arrays
from smixup.datasets.readers.networkx_graphs import graph_attributes, read_networkx
from smixup.datasets.readers.pyg_lists import pyg_dataset
from smixup.datasets.readers.registry import READERS
from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.graphs import Graphs

NAME = Path("graphs")
NETWORKX = {"weight": "weight", "categories": None, "ignore": None, "directions": "keep"}
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
        return _at_path(source, y, target, task, like, options)
    if isinstance(source, Graphs):
        _check("graphs that were read before", options, ())
        if y is None:
            raise UsageError("these graphs were read before: give y=[...] for other targets.")
        answered = answers_of_array(y, len(source), task, like)
        width = {"features": source.num_features}
        return dataset_of(NAME, source, answered, "saved-list", {}, width, ())
    if isinstance(source, np.ndarray | Tensor):
        source = {"matrices": source}
    if isinstance(source, Mapping):
        return _arrays(source, y, target, task, like, options)
    if isinstance(source, Data):
        source = source.to_data_list() if isinstance(source, Batch) else [source]
    graphs = list(source) if isinstance(source, Iterable) else [source]
    if not graphs:
        raise UsageError("there are no graphs: the list is empty.")
    if isinstance(graphs[0], nx.Graph):
        return _networkx(graphs, y, target, task, like, options)
    if isinstance(graphs[0], Data):
        return _pyg(graphs, y, target, task, like, options)
    if isinstance(graphs[0], np.ndarray) and graphs[0].ndim == 2:
        return _arrays({"matrices": _stacked(graphs)}, y, target, task, like, options)
    raise UsageError(
        "graphs are a path, a list of PyG's Data or of networkx graphs, or arrays of matrices, not "
        f"a {type(graphs[0]).__name__}."
    )


def _at_path(
    path: str | Path, y: Any, target: Any, task: str, like: Reading | None, options: Any
) -> Dataset:
    from smixup.datasets.catalogue import load_dataset

    if y is not None:
        raise UsageError("y is for graphs in Python: the targets of files stand beside them.")
    given = {"target": target, "task": task, "like": like}
    asked = {name: value for name, value in given.items() if value}
    reader = options.pop("reader", None)
    if reader is None:
        return load_dataset(path, **asked, **options)
    if reader not in READERS:
        raise unknown_name("reader", reader, READERS)
    from inspect import signature

    from smixup.datasets.sources import SOURCES

    factory = SOURCES.factory(reader)
    _check(f"the reader {reader}", {**asked, **options}, signature(factory).parameters)
    return factory(path=Path(path), **asked, **options)


def _networkx(
    graphs: list[Any], y: Any, target: Any, task: str, like: Reading | None, options: Any
) -> Dataset:
    _check("a list of networkx graphs", options, NETWORKX)
    names = [f"graph {place}" for place in range(len(graphs))]
    before = {} if like is None else like.options
    asked = {name: options.get(name, before.get(name, NETWORKX[name])) for name in NETWORKX}
    known = None if like is None else like.vocabulary
    found = read_networkx(graphs, names, known, **asked)
    table = graph_attributes(graphs)
    wanted = target if target is not None else before.get("target")
    if y is not None:
        _require_none(target)
        answered = answers_of_array(y, len(graphs), task, like, table)
    elif wanted is not None and table:
        rows = range(len(graphs))
        answered = answers(table, rows, None, wanted, task, like, "the attributes of the graphs")
    else:
        answered = no_answers(
            len(graphs), like, "give y=[...], or name an attribute of the graphs by target=..."
        )
    kept = {name: value for name, value in asked.items() if value != NETWORKX[name]}
    kept |= {} if wanted is None else {"target": wanted}
    return dataset_of(NAME, found.graphs, answered, "graphml", kept, found.vocabulary, found.notes)


def _pyg(
    graphs: list[Any], y: Any, target: Any, task: str, like: Reading | None, options: Any
) -> Dataset:
    _check("a list of PyG graphs", options, ("encode",))
    if target is not None:
        raise UsageError("PyG graphs have their targets in y: give y=[...], not target.")
    answered = None if y is None else answers_of_array(y, len(graphs), task, like)
    encode = options.get("encode", None if like is None else like.options.get("encode"))
    kept = {} if encode is None else {"encode": str(encode)}
    asked = {"encode": encode, "task": task}
    return pyg_dataset(graphs, NAME, "saved-list", answered, asked, kept, like)


def _arrays(
    arrays: Mapping[str, Any], y: Any, target: Any, task: str, like: Reading | None, options: Any
) -> Dataset:
    _check("arrays", options, MATRICES)
    _require_none(target)
    plain = {name: np.asarray(value) for name, value in arrays.items()}
    answered = None
    if y is not None:
        if "y" in plain:
            raise UsageError("y is given twice: in the dictionary and beside it.")
        number = next((len(array) for array in plain.values() if array.ndim == 3), 0)
        answered = answers_of_array(y, number, task, like)
    return matrices_of_arrays(plain, answered, {**options, "task": task}, like)


def _stacked(matrices: list[Any]) -> Any:
    shapes = [np.shape(each) for each in matrices]
    odd = next((place for place, shape in enumerate(shapes) if shape != shapes[0]), None)
    if odd is not None:
        raise SmixupError(
            f"matrix {odd} has the shape {list(shapes[odd])}, but the first has {list(shapes[0])}: "
            "the same nodes are needed in every graph."
        )
    return np.stack(matrices)


def _require_none(target: Any) -> None:
    if target is not None:
        raise UsageError("target names columns of files or attributes of networkx graphs: give y.")


def _check(what: str, options: Mapping[str, Any], allowed: Iterable[str]) -> None:
    for name in options:
        if name not in allowed:
            raise UsageError(
                f"{what} takes no option '{name}'; it takes {', '.join(allowed) or 'none'}."
            )
