"""What a matcher is: a pair of graphs in, a soft assignment of their nodes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self, TypeAlias

from smixup.graphs import GraphBatch, GraphSet, Operator
from smixup.progress import Report, silent

if TYPE_CHECKING:
    from torch_geometric.data import Data

Graphs: TypeAlias = "GraphSet | Iterable[Data]"


class Matcher:
    """The contract of all matchers (Sec. 3.2).

    Called with two batches of B graphs, a matcher returns M as a block-diagonal operator from the
    nodes of `right` to the nodes of `left`: entry `(i, j)` tells how much of node j of a right
    graph falls on node i of its left partner. Columns sum to one, nothing lies outside a pair, and
    renumbering the nodes of a graph renumbers M.

    Attributes:
        num_classes: of the graphs it was fitted on, None before.
    """

    num_classes: int | None = None

    def fit(self, train: Graphs, report: Report = silent) -> Self:
        """Learn from the training split, a `GraphSet` or a PyG dataset; without parameters there is
        little to learn.
        """
        self.num_classes = as_graph_set(train).num_classes
        return self

    def __call__(self, left: GraphBatch, right: GraphBatch) -> Operator:
        """Return the assignments of all pairs, `[n1, n2]`."""
        raise NotImplementedError


def as_graph_set(graphs: Graphs) -> GraphSet:
    """Return a PyG dataset or a list of `Data` as a `GraphSet`; a `GraphSet` stays as it is."""
    if isinstance(graphs, GraphSet):
        return graphs
    from smixup.graphs.pyg import from_pyg

    return from_pyg(graphs, getattr(graphs, "num_classes", None))
