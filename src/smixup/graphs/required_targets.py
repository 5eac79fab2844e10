"""What is asked of targets before anything is computed: that there are some, classes, or finite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from smixup.errors import SmixupError

if TYPE_CHECKING:
    from smixup.graphs.graphs import Graphs
    from smixup.graphs.packed import PackedGraphs

MOST_CLASSES = 2**16 - 1
"""What would be larger is a quantity, and too wide to be shares of classes."""


def require_labels(graphs: Graphs) -> None:
    """Refuse graphs without labels."""
    if graphs.num_classes == 0:
        raise SmixupError(
            "the graphs have no labels: every Data needs a `y`, an integer class or a row of "
            "targets."
        )


def require_finite(y: Tensor) -> None:
    """Refuse targets `[B, C]` that are infinite; NaN is one that is not known."""
    if bool(y.isinf().any()):
        graph = int(y.isinf().any(1).nonzero()[0])
        raise SmixupError(
            f"the target of graph {graph} is infinite: leave the graph out, or make its y NaN if "
            "it is not known."
        )


def require_classes(graphs: Graphs | PackedGraphs) -> None:
    """Refuse targets that are values where classes are needed."""
    if not graphs.has_classes:
        raise SmixupError(
            "classes are needed here, but the targets are values: make y integer if they are class "
            "numbers."
        )
