"""The objects that flow (Sec. 2): graphs, and sparse matrices of their nodes."""

from smixup.graphs.codes import Codes
from smixup.graphs.graphs import AnyGraphs, Graphs, as_graphs
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.packing import pack
from smixup.graphs.padding import (
    Padding,
    buckets_by_size,
    buckets_of_pairs,
    from_blocks,
    to_blocks,
)
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import require_classes, require_labels

__all__ = [
    "AnyGraphs",
    "Codes",
    "Graphs",
    "PackedGraphs",
    "Padding",
    "SparseOperator",
    "as_graphs",
    "buckets_by_size",
    "buckets_of_pairs",
    "from_blocks",
    "open_packed",
    "pack",
    "require_classes",
    "require_labels",
    "to_blocks",
]
