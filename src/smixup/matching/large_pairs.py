"""Pairs too large for a table of all their cells: told apart, taken a few at a time, and put back
among the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import ranges, ranks
from smixup.matching.normalization import NEGLIGIBLE
from smixup.matching.pairs import BYTES_PER_CELL, require_pairs
from smixup.matching.tables import larger_than
from smixup.memory import cells_at_once

CELLS = 2**17
"""Cells `n1 n2` up to which a pair is matched by a table of all of them."""
NODES = 2**10
"""Nodes of the larger graph up to which its edges are written as a table, too."""
NODES_AT_ONCE, CELLS_AT_ONCE = 2**13, 2**25


def are_large(left: Graphs, right: Graphs) -> Tensor:
    """Tell of each pair whether it is too large for tables, `[B]`."""
    require_pairs(left, right)
    larger = torch.maximum(left.sizes, right.sizes)
    return (left.sizes * right.sizes > CELLS) | (larger > NODES)


def in_runs(left: Graphs, right: Graphs, chosen: Tensor) -> Iterator[Tensor]:
    """Go through some large pairs in order, as many at a time as have `NODES_AT_ONCE` nodes
    together, or a single one.

    Args:
        left: G1, B graphs.
        right: G2, B graphs.
        chosen: `[b]`, places of the pairs.
    """
    return _runs(chosen, (left.sizes + right.sizes)[chosen], NODES_AT_ONCE)


def in_table_runs(left: Graphs, right: Graphs, chosen: Tensor) -> Iterator[Tensor]:
    """Go through some small pairs in order, as many at a time as have `CELLS_AT_ONCE` cells in the
    tables of both graphs and of the pair, or a single one.
    """
    most = cells_at_once(CELLS_AT_ONCE, BYTES_PER_CELL)
    return _runs(chosen, (left.sizes + right.sizes)[chosen].square(), most)


def _runs(chosen: Tensor, costs: Tensor, most: int) -> Iterator[Tensor]:
    held, total = list[int](), 0
    for place, cost in zip(chosen.tolist(), costs.tolist(), strict=True):
        if held and total + cost > most:
            yield chosen.new_tensor(held)
            held, total = [], 0
        held.append(place)
        total += cost
    if held:
        yield chosen.new_tensor(held)


@dataclass(frozen=True)
class Part:
    """Assignments of some of the pairs.

    Attributes:
        chosen: `[b]`, which of all pairs.
        M: their assignments.
    """

    chosen: Tensor
    M: SparseOperator


def joined(parts: Sequence[Part], left: Graphs, right: Graphs) -> SparseOperator:
    """Return the assignments of all pairs `[n1, n2]` from those of parts of them."""
    rows, columns = list[Tensor](), list[Tensor]()
    for part in parts:
        for graphs, ends, found in ((left, part.M.row, rows), (right, part.M.column, columns)):
            nodes = ranges(graphs.ptr[part.chosen], graphs.sizes[part.chosen])
            found.append(nodes[ends])
    weight = torch.cat([part.M.weight for part in parts])
    shape = left.num_nodes, right.num_nodes
    return SparseOperator.from_entries(torch.cat(rows), torch.cat(columns), weight, shape)


def as_operator(M: csr_matrix, like: Tensor) -> SparseOperator:
    """Return a table of SciPy as an operator where `like` is, without what is negligible."""
    M = larger_than(M, NEGLIGIBLE)
    M.sort_indices()
    row_ptr, column = (torch.from_numpy(each).long() for each in (M.indptr, M.indices))
    weight = torch.from_numpy(M.data).float()
    return SparseOperator(row_ptr, column, weight, M.shape[1]).to(like.device)


def with_few_entries(M: SparseOperator, k: int) -> SparseOperator:
    """Keep the k largest entries of every column and scale them to the column's sum."""
    columns = M.T
    kept = columns.mask_entries(ranks(columns.row_ptr, -columns.weight) < k)
    total, rest = columns.row_sums(), kept.row_sums()
    return (torch.where(rest > 0, total / rest, 0.0) * kept).T
