"""Graphs to predict for, read as the training data was."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.catalogue import canonical_name, load_dataset
from smixup.datasets.readers.assembly import NamedNodes, NodeNames
from smixup.datasets.readers.registry import reader_of
from smixup.datasets.sources import SOURCES, source_of
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.conversion import as_graphs
from smixup.packed_folder import is_packed
from smixup.tasks import Task

if TYPE_CHECKING:
    from smixup.datasets.readers.networkx_graphs import NetworkxGraphs

NETWORKX = "graphml"
"""The reader of networkx graphs, in files and in memory."""


@dataclass(frozen=True)
class NewData:
    """Graphs to predict for.

    Attributes:
        graphs: with features as the publisher gives them.
        table: what else is known of each graph, by the name of the column.
        notes: what to tell whoever reads the predictions.
        has_targets: whether `graphs.y` is known.
        task: what the data says is asked of a graph; None where it does not say.
        node_names: what the nodes are called, if anything.
    """

    graphs: Graphs
    table: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    has_targets: bool = False
    task: Task | None = None
    node_names: NodeNames | None = None


def open_new(
    source: Any,
    reading: Reading | None,
    root: Path | None,
    options: Mapping[str, Any],
    trained: Mapping[str, Any] | None = None,
) -> NewData:
    """Read graphs from wherever they are.

    Args:
        source: see `Model.predict`.
        reading: how the training data was read; None if it was no files of somebody's own.
        root: the data root.
        options: of the reader or the dataset.
        trained: the `source` of the training data and its `options`, which a dataset of the same
            source has, too, unless others are given.
    """
    if isinstance(source, str | Path):
        return _of_dataset(_read(source, reading, root, options, trained or {}))
    if options:
        raise UsageError(f"graphs in memory have no option '{next(iter(options))}'.")
    if isinstance(source, Dataset):
        return _of_dataset(source)
    if is_networkx(source):
        return _of_networkx(list(source), reading)
    return NewData(graphs_of(source))


def is_networkx(source: Any) -> bool:
    """Tell whether a list (or an object array) holds networkx graphs."""
    if not isinstance(source, Sequence | np.ndarray) or not len(source):
        return False
    import networkx as nx  # takes its time

    return isinstance(source[0], nx.Graph)


def read_networkx_list(graphs: Sequence[Any], reading: Reading | None = None) -> NetworkxGraphs:
    """Return networkx graphs, their attributes as features; as others were read before, if a
    reading is given.
    """
    from smixup.datasets.readers.networkx_graphs import read_networkx

    names = [f"graph {place}" for place in range(len(graphs))]
    known = None if reading is None else reading.vocabulary
    options = {} if reading is None else dict(reading.options)
    options.pop("target", None)
    return read_networkx(graphs, names, known, **options)


def _of_networkx(graphs: list[Any], reading: Reading | None) -> NewData:
    if reading is None or reading.reader != NETWORKX:
        how = "PyG graphs" if reading is None else f"data that {reading.reader} reads"
        raise SmixupError(
            f"these are networkx graphs, and the model was trained on {how}: give it those."
        )
    read = read_networkx_list(graphs, reading)
    return NewData(read.graphs, notes=tuple(read.notes), node_names=NodeNames.listed(graphs))


def graphs_of(source: Any) -> Graphs:
    """Return PyG graphs without their targets; `Graphs` stay as they are."""
    if isinstance(source, Graphs):
        return source
    from torch_geometric.data import Data  # takes a second

    if isinstance(source, Data):  # a Batch is one, too
        return as_graphs(_without_target(source))
    if not isinstance(source, Iterable):
        raise SmixupError(f"a list of graphs is needed, not a {type(source).__name__}.")
    graphs = list(source)
    for place, data in enumerate(graphs):
        if not isinstance(data, Data):
            raise SmixupError(
                f"element {place} is a {type(data).__name__} where a torch_geometric Data is "
                "needed: give PyG graphs alone, or networkx graphs alone."
            )
    if not graphs:
        raise SmixupError("there is no graph: a list of one Data at least is needed.")
    return as_graphs([_without_target(data) for data in graphs])


def _without_target(data: Any) -> Any:
    if data.y is None:
        return data
    data = copy.copy(data)
    data.y = None
    return data


def _read(
    source: str | Path,
    reading: Reading | None,
    root: Path | None,
    options: Mapping[str, Any],
    trained: Mapping[str, Any],
) -> Dataset:
    path = Path(source).expanduser()
    if reading is None or is_packed(path):
        return load_dataset(str(source), root, **{**_alike(source, root, trained), **options})
    if not path.exists():
        raise UsageError(
            f"there is no file or folder {source}: the model reads files as its training data was "
            f"read, by the reader {reading.reader}."
        )
    if (path / "model.json").is_file():
        raise UsageError(f"{path} is the folder of a model: name the data to predict for.")
    kind = reader_of(path.absolute())
    if kind is not None and kind != reading.reader:
        raise UsageError(
            f"{path} holds data of the kind {kind}, and the model was trained on data of the kind "
            f"{reading.reader}: give it files of that kind."
        )
    return SOURCES.factory(reading.reader)(path=path.absolute(), like=reading, **options)


def _alike(source: str | Path, root: Path | None, trained: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the training data, if this comes from the same source."""
    name = canonical_name(str(source), root)
    before = str(trained.get("source", ""))
    if name is None or not before or source_of(name) != source_of(before):
        return {}
    return dict(trained.get("options") or {})


def _of_dataset(dataset: Dataset) -> NewData:
    known = dataset.graphs.num_classes > 0 and not bool(torch.isnan(dataset.graphs.y).all())
    called = dataset.node_names if isinstance(dataset, NamedNodes) else None
    return NewData(dataset.graphs, dataset.table, dataset.notes, known, dataset.task, called)
