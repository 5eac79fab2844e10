"""What a matcher is: a pair of graphs in, a soft assignment of their nodes out."""

from __future__ import annotations

from typing import Self

from smixup.graphs import GraphBatch, GraphSet, Operator
from smixup.progress import Report, silent


class Matcher:
    """The contract of all matchers (Sec. 3.2).

    Called with two batches of B graphs, a matcher returns M as a block-diagonal operator from the nodes of `right` to
    the nodes of `left`: entry `(i, j)` tells how much of node j of a right graph falls on node i of its left partner.
    Columns sum to one, nothing lies outside a pair, and renumbering the nodes of a graph renumbers M.
    """

    def fit(self, train: GraphSet, report: Report = silent) -> Self:
        """Learn from the training split; a matcher without parameters has nothing to learn."""
        return self

    def __call__(self, left: GraphBatch, right: GraphBatch) -> Operator:
        """Return the assignments of all pairs, `[n1, n2]`."""
        raise NotImplementedError
