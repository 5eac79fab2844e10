"""Graphs to predict for, read as the training data was."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.catalogue import canonical_name, load_dataset
from smixup.datasets.readers.registry import reader_of
from smixup.datasets.sources import SOURCES, source_of
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.graphs import as_graphs
from smixup.packed_folder import is_packed

if TYPE_CHECKING:
    from smixup.datasets.readers.attributes import Attributed

NETWORKX = "graphml"  # the reader of networkx graphs, in files and in memory


def open_new(
    source: Any,
    reading: Reading | None,
    root: Path | None,
    options: Mapping[str, Any],
    trained: Mapping[str, Any] | None = None,
) -> Dataset:
    """Read graphs from wherever they are, see `Model.predict`: files as the training data was read,
    a dataset of its `source` with its `options` (`trained`), unless others are given.
    """
    if isinstance(source, str | Path):
        source = _dataset(source, reading, root, options, trained or {})
    elif options:
        raise UsageError(f"graphs in memory have no option '{next(iter(options))}'.")
    if isinstance(source, Dataset):
        return source
    if not is_networkx(source):
        return Dataset("graphs", graphs_of(source))
    if reading is None or reading.reader != NETWORKX:
        how = "PyG graphs" if reading is None else reading.reader
        raise SmixupError(f"these are networkx graphs, and the model was trained on {how}.")
    read = read_networkx_list(source, reading)
    names = [tuple(map(str, graph)) for graph in source]
    return Dataset("graphs", read.graphs, notes=tuple(read.notes), node_names=names)


def is_networkx(source: Any) -> bool:
    """Tell whether a list (or an object array) holds networkx graphs."""
    if not isinstance(source, Sequence | np.ndarray) or not len(source):
        return False
    import networkx as nx  # takes its time

    return isinstance(source[0], nx.Graph)


def read_networkx_list(graphs: Sequence[Any], reading: Reading | None = None) -> Attributed:
    """Return networkx graphs, read as others were before if a reading is given."""
    from smixup.datasets.readers.graphml import OPTIONS, read_networkx

    names = [f"graph {place}" for place in range(len(graphs))]
    if reading is None:
        return read_networkx(graphs, names)
    options = {name: reading.options[name] for name in OPTIONS if name in reading.options}
    return read_networkx(graphs, names, reading.vocabulary, **options)


def graphs_of(source: Any) -> Graphs:
    """Return PyG graphs without their targets; `Graphs` stay as they are."""
    if isinstance(source, Graphs):
        return source
    from torch_geometric.data import Data  # takes a second

    if isinstance(source, Data):  # a Batch is one, too
        return as_graphs(_without_target(source))
    if not isinstance(source, Iterable):
        raise SmixupError(f"a list of graphs is needed, not a {type(source).__name__}.")
    return as_graphs([_without_target(data) for data in source])


def _without_target(data: Any) -> Any:
    if getattr(data, "y", None) is not None:
        data = copy.copy(data)
        data.y = None
    return data


def _dataset(
    source: str | Path,
    reading: Reading | None,
    root: Path | None,
    options: Mapping[str, Any],
    trained: Mapping[str, Any],
) -> Dataset:
    path = Path(source).expanduser()
    if reading is None or is_packed(path):
        name, before = canonical_name(str(source), root), str(trained.get("source", ""))
        if name and before and source_of(name) == source_of(before):
            options = {**(trained.get("options") or {}), **options}
        return load_dataset(str(source), root, **options)
    if not path.exists():
        raise UsageError(
            f"there is no file or folder {source} for the reader {reading.reader} of the model."
        )
    if (path / "model.json").is_file():
        raise UsageError(f"{path} is the folder of a model: name the data to predict for.")
    kind = reader_of(path.absolute())
    if kind is not None and kind != reading.reader:
        raise UsageError(
            f"{path} holds {kind}, and the model was trained on {reading.reader}: give it those."
        )
    return SOURCES.factory(reading.reader)(path=path.absolute(), like=reading, **options)
