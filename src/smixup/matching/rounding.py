"""The one-to-one part of any assignment."""

from __future__ import annotations

from smixup.graphs import BlockOperator, Graphs, Operator, SparseOperator
from smixup.matching.consensus import best_matches
from smixup.matching.pairs import Pairs


def one_to_one(M: Operator, left: Graphs, right: Graphs) -> SparseOperator:
    """Return the one-to-one matches that share most of M, as entries of one.

    An assignment that is one to one keeps its matches. Any other is rounded pair by pair with the
    Hungarian method; a node that would get a match of which M knows nothing stays without.

    Args:
        M: assignments of B pairs `[n1, n2]`.
        left: G1, B graphs.
        right: G2, B graphs.
    """
    entries = M.to_sparse()
    if is_one_to_one(entries):
        return SparseOperator.from_entries(
            entries.row, entries.column, entries.weight.new_ones(len(entries.weight)), entries.shape
        )
    pairs = Pairs.of(left, right)
    shares = BlockOperator.from_sparse(entries, pairs.rows, pairs.columns).blocks
    blocks = zip(shares, pairs.blocks(), strict=True)
    return pairs.operator([best_matches(S, block) * (S > 0) for S, block in blocks]).to_sparse()


def is_one_to_one(M: SparseOperator) -> bool:
    """Whether no row and no column has two entries."""
    return bool((M.row_ptr.diff() <= 1).all() and (M.column.bincount() <= 1).all())
