"""The objects that flow (Sec. 2): graphs, and the operators that stand for their matrices."""

from smixup.graphs.blocks import BlockOperator
from smixup.graphs.codes import Codes
from smixup.graphs.conversion import AnyGraphs, as_graphs
from smixup.graphs.graphs import Graphs
from smixup.graphs.operator import Diagonal, Operator, Stacked
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.packing import PackedWriter, pack
from smixup.graphs.padding import Padding, buckets_by_size, buckets_of_pairs, padding_of
from smixup.graphs.readout import MeanReadout
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import require_classes, require_labels

__all__ = [
    "AnyGraphs",
    "BlockOperator",
    "Codes",
    "Diagonal",
    "Graphs",
    "MeanReadout",
    "Operator",
    "PackedGraphs",
    "PackedWriter",
    "Padding",
    "SparseOperator",
    "Stacked",
    "as_graphs",
    "buckets_by_size",
    "buckets_of_pairs",
    "open_packed",
    "pack",
    "padding_of",
    "require_classes",
    "require_labels",
]
