"""What a matcher is: a pair of graphs in, an assignment of their nodes out, soft or one-to-one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import torch
from torch import Tensor

from smixup.graphs import AnyGraphs, Graphs, SparseOperator, as_graphs
from smixup.graphs.codes import Codes, Encoding, learn_codes, require_learnt
from smixup.precision import single_precision
from smixup.progress import Report, on_terminal
from smixup.settings import RangedFields

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

    OfPyG: TypeAlias = Data | Batch | Sequence[Data]


class Matcher(ABC, RangedFields):
    """The contract of all matchers (Sec. 3.2).

    For PyG users::

        matcher = GraphMatcher().fit(train_dataset)
        M = matcher.match(data1, data2)      # a tensor [n1, n2]
        M.argmax(0)                          # for every node of data2, its node of data1
        M.sum(0) == 0                        # which nodes of data2 have none

    Called with two batches of B graphs, a matcher returns M as a block-diagonal operator from the
    nodes of `right` to the nodes of `left`: entry `(i, j)` tells how much of node j of a right
    graph falls on node i of its left partner. No entry is negative, none lies outside a pair.

    What rows and columns sum to is the matcher's choice. In the paper columns sum to one
    (`normalization="columns"`). In a one-to-one alignment, the default of the learned matchers, a
    row or column holds a single one, or nothing. `matching/assign.py` has all ways.

    Attributes:
        num_classes: of the graphs it was fitted on, None before.
        encode: how to read `x` of PyG graphs that are codes of categories, see `graphs/codes.py`.
        codes: what is known of them, at once or after `fit`.
    """

    num_classes: int | None = None
    encode: Encoding = None
    codes: Codes | None = None
    reads_features: ClassVar[bool] = True

    @property
    def fitted(self) -> bool:
        """Whether it is ready; one without parameters always is."""
        return True

    def fit(self, train: AnyGraphs, report: Report = on_terminal) -> Self:
        """Learn from the training split, `Graphs` or a PyG dataset."""
        graphs = self.learn_from(train)
        self.num_classes = graphs.num_classes if graphs.has_classes else None
        return self

    def learn_from(self, train: AnyGraphs) -> Graphs:
        """Return training graphs as `Graphs`, and learn how their codes are to be read."""
        if isinstance(train, Graphs) and self.codes is not None:
            return train
        train = train if hasattr(train, "__len__") else list(train)
        self.codes = learn_codes(self.encode, train)
        return self.read(train)

    def read(self, graphs: AnyGraphs) -> Graphs:
        """Return PyG graphs as `Graphs`, codes of nodes read as they were in `fit`."""
        codes = require_learnt(self.encode, self.codes)
        of_nodes = None if codes is None else replace(codes, edges=())  # edges' are not asked for
        return as_graphs(graphs, of_nodes, keep_codes=not self.reads_features)

    @abstractmethod
    def __call__(self, left: Graphs, right: Graphs) -> SparseOperator:
        """Return the assignments of all pairs, `[n1, n2]`."""

    def prepare(self, graphs: Graphs) -> Graphs:
        """Do once per graph what many pairs share."""
        return graphs

    def assign(self, prepared: Graphs, left: Tensor, right: Tensor) -> SparseOperator:
        """Return the assignments of pairs that are given by their places `[B]` in `prepared`."""
        return self(prepared[left], prepared[right])

    @torch.no_grad()
    @single_precision()
    def match(self, first: OfPyG, second: OfPyG) -> Any:
        """Return M of two PyG graphs as a tensor `[n1, n2]`; of two lists or batches, a list."""
        tables = [M.to_dense() for M in self._one_by_one(first, second)]
        return tables[0] if _is_single(first) else tables

    @torch.no_grad()
    @single_precision()
    def matches(self, first: OfPyG, second: OfPyG) -> Any:
        """Return the entries of M of two PyG graphs, as PyG keeps edges: `index [2, m]` and
        `weight [m]`; of two lists or batches, a list::

            index, weight = matcher.matches(data1, data2)
            data1.x[index[0]], data2.x[index[1]]      # features of matched nodes, side by side
        """
        parts = self._one_by_one(first, second)
        entries = [(torch.stack([M.row, M.column]), M.weight) for M in parts]
        return entries[0] if _is_single(first) else entries

    def _one_by_one(self, first: OfPyG, second: OfPyG) -> Iterator[SparseOperator]:
        left, right = self.read(first), self.read(second)
        M = self(left, right)
        places = torch.arange(len(left), device=left.device)
        return (M.select_blocks(left.ptr, place, right.ptr)[0] for place in places.split(1))


def _is_single(graphs: OfPyG) -> bool:
    from torch_geometric.data import Batch, Data

    return isinstance(graphs, Data) and not isinstance(graphs, Batch)
