"""The objects that flow (Sec. 2): sets and batches of graphs, and the operators that stand for
their matrices.
"""

from smixup.graphs.blocks import BlockOperator
from smixup.graphs.graph_batch import GraphBatch, concatenate
from smixup.graphs.graph_set import GraphSet, concatenate_sets
from smixup.graphs.operator import Diagonal, Operator, Stacked
from smixup.graphs.padding import Padding, buckets_by_size, buckets_of_pairs, padding_of
from smixup.graphs.readout import MeanReadout
from smixup.graphs.sparse import SparseOperator

__all__ = [
    "BlockOperator",
    "Diagonal",
    "GraphBatch",
    "GraphSet",
    "MeanReadout",
    "Operator",
    "Padding",
    "SparseOperator",
    "Stacked",
    "buckets_by_size",
    "buckets_of_pairs",
    "concatenate",
    "concatenate_sets",
    "padding_of",
]
