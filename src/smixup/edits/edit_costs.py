"""What edit operations cost (Def. 1, Sec. 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smixup.edits.weighted_graph import Array, WeightedGraph
from smixup.errors import SmixupError
from smixup.ranges import NotNegative, RangedFields


@dataclass(frozen=True)
class EditCosts(RangedFields):
    """Costs of the six operations.

    A node costs `|x|^p` to insert or delete and `|x - x'|^p` to substitute; an edge costs `w` to
    insert or delete and `|w - w'|` to substitute. An insertion is thus a substitution of nothing: a
    node of zero features, an edge of zero weight. A self-loop is an edge that shares the fate of
    its node.

    Attributes:
        exponent: p of the node costs: 2 as printed, 1 for costs that obey the triangle inequality;
            0 counts the nodes that change, as `0^0` is zero here.
        node_weight: factor of the node costs; zero leaves edges alone.
    """

    exponent: NotNegative = 2.0
    node_weight: NotNegative = 1.0

    @property
    def is_norm(self) -> bool:
        """Whether the cost of an alignment is a norm of the difference of the two graphs, as
        Theorem 1 needs it.
        """
        return self.exponent == 1 or self.node_weight == 0

    def substitution(self, left: WeightedGraph, right: WeightedGraph) -> Array:
        """Return what turning node i of `left` into node k of `right` costs, loops included,
        `[n1, n2]`.
        """
        if left.x.shape[1] != right.x.shape[1]:
            widths = f"{left.x.shape[1]} and {right.x.shape[1]}"
            raise SmixupError(f"the two graphs must have node features of one width, not {widths}.")
        return self._of_features(left.x[:, None] - right.x) + np.abs(
            left.loops[:, None] - right.loops
        )

    def removal(self, graph: WeightedGraph) -> Array:
        """Return what deleting each node costs, or inserting it, its loop included and its edges
        not, `[n]`.
        """
        return self._of_features(graph.x) + graph.loops

    def _of_features(self, x: Array) -> Array:
        """Return `|x|^p` of vectors in the last dimension."""
        norms: Array = np.linalg.norm(x, axis=-1)
        powers = norms > 0 if self.exponent == 0 else norms**self.exponent
        return np.asarray(self.node_weight * powers)


AS_PRINTED = EditCosts()
METRIC = EditCosts(exponent=1.0)
EDGES_ONLY = EditCosts(node_weight=0.0)
UNIT = EditCosts(exponent=0.0)
