"""The figures that describe a dataset: the header of the paper's Table 2."""

from __future__ import annotations

from dataclasses import dataclass

from smixup.datasets.base import Dataset


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


def statistics(dataset: Dataset) -> Statistics:
    """Count graphs, classes, nodes, undirected edges and features."""
    graphs = dataset.graphs
    adj = graphs.adj.to_sparse()
    loops = int((adj.row == adj.column).sum())
    edges = (adj.column.numel() - loops) // 2 + loops
    return Statistics(
        graphs=len(graphs),
        classes=graphs.num_classes,
        average_nodes=graphs.x.size(0) / len(graphs),
        average_edges=edges / len(graphs),
        features=graphs.num_features,
        unused_attributes=dataset.unused_attributes,
    )
