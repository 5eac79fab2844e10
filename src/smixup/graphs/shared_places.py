"""Selecting alike from operators that have their entries at the same places, as an adjacency and
the attributes of its edges have: which entries are meant is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from torch import Tensor

from smixup.graphs.operator import Operator
from smixup.graphs.sparse import SparseOperator

Selected = tuple[SparseOperator, Tensor | slice]
"""A part of an operator, and which entries it has."""


@dataclass
class SharedPlaces:
    """Selects the same part of every operator that it is called on.

    Example::

        select = SharedPlaces(lambda adj: adj.select_blocks(ptr, graphs))
        adj, features = select(graphs.adj), select(graphs.edge_attrs["edge_attr"][0])

    Attributes:
        select: selects from one operator.
    """

    select: Callable[[SparseOperator], Selected]
    _last: tuple[SparseOperator, Selected] | None = field(default=None, init=False, repr=False)

    def __call__(self, operator: Operator) -> SparseOperator:
        """Return the part; it shares its places with that of the operator before, if they do."""
        source = operator.to_sparse()
        if self._last is None or not source.shares_places_of(self._last[0]):
            self._last = source, self.select(source)
            return self._last[1][0]
        part, entries = self._last[1]
        return replace(part, weight=_at(source.weight, entries), symmetric=source.symmetric)


def _at(weight: Tensor, entries: Tensor | slice) -> Tensor:
    return weight[entries] if isinstance(entries, slice) else weight.index_select(0, entries)
