"""The figures that describe a dataset: the header of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from smixup.datasets.base import Dataset
from smixup.graphs import Graphs

if TYPE_CHECKING:
    from smixup.datasets.packed_set import PackedDataset


@dataclass(frozen=True)
class Statistics:
    """Sizes of a dataset; edges are undirected, features those of the publisher that are used,
    unused attributes those that are not.
    """

    graphs: int
    classes: int
    average_nodes: float
    average_edges: float
    features: int
    unused_attributes: int = 0


def statistics(dataset: Dataset | PackedDataset) -> Statistics:
    """Count graphs, classes, nodes, undirected edges and features; of graphs on disk, part by
    part.
    """
    graphs = dataset.graphs
    parts: Iterable[Graphs] = [graphs] if isinstance(graphs, Graphs) else graphs.parts()
    return Statistics(
        graphs=len(graphs),
        classes=graphs.num_classes,
        average_nodes=graphs.num_nodes / len(graphs),
        average_edges=sum(map(_edges, parts)) / len(graphs),
        features=graphs.num_features,
        unused_attributes=dataset.unused_attributes,
    )


def _edges(graphs: Graphs) -> int:
    """Count undirected edges."""
    adj = graphs.adj.to_sparse()
    loops = int((adj.row == adj.column).sum())
    return (adj.column.numel() - loops) // 2 + loops
