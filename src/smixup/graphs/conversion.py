"""Graphs in whatever form somebody has them, as `Graphs`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sized
from typing import TYPE_CHECKING, Any, TypeAlias

from smixup.errors import SmixupError
from smixup.graphs.graphs import Graphs

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

    from smixup.graphs.codes import Encoding

AnyGraphs: TypeAlias = "Graphs | Batch | Data | Iterable[Data]"


def as_graphs(graphs: AnyGraphs, encode: Encoding = None, keep_codes: bool = False) -> Graphs:
    """Return PyG graphs (a dataset, a list, a `Batch`, one `Data`, the dataset of a `DataLoader`)
    as `Graphs`; these stay.

    For `encode` and `keep_codes` see `from_pyg`.
    """
    if isinstance(graphs, Graphs):
        return graphs
    from smixup.graphs.packed import PackedGraphs

    if isinstance(graphs, PackedGraphs):
        raise SmixupError(
            "these graphs are on disk, and graphs in memory are needed here: read some of them, "
            "graphs[:5000], or all, graphs[:]."
        )
    from torch_geometric.data import Batch  # takes a second to import

    from smixup.graphs.pyg import from_pyg, from_pyg_batch

    if isinstance(graphs, Batch):
        found = from_pyg_batch(graphs, encode=encode, keep_codes=keep_codes)
        return found.replace(adj=found.adj.with_symmetry())
    return from_pyg(graphs, _known_classes(graphs), encode, keep_codes)


def _known_classes(dataset: Any) -> int | None:
    """Return how many classes a PyG dataset has, also if only a part of it is at hand."""
    while isinstance(inner := getattr(dataset, "dataset", None), Sized):
        dataset = inner  # of a loader, of a subset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that targets are no integers, which is seen later
        return getattr(dataset, "num_classes", None) if isinstance(dataset, Sized) else None
