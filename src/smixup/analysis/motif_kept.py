"""Does mixing preserve the motif (Sec. 5.1, 6.4)? How much of the motif of G2 lands on the motif of
G1.
"""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, Operator, SparseOperator


def motif_edges(batch: Graphs) -> SparseOperator:
    """Return the edges with both ends in the motif of their graph, `[n, n]`."""
    if batch.motif is None:
        raise SmixupError("these graphs have no known motif: use MOTIF.")
    adj = batch.adj.to_sparse()
    return adj.mask_entries(batch.motif[adj.row] & batch.motif[adj.column])


def motif_kept(M: Operator, left: Graphs, right: Graphs) -> Tensor:
    """Return the share of the motif edges' weight that is kept when G2 is carried onto G1, `[B]` in
    [0, 1].

    With E1 and E2 the edges within the motifs of G1 and G2, it is

        sum of min(M E2 M^T, E1)  /  sum of E1.

    What the motif of G2 brings is counted where G1 has its motif, no more on an edge than the edge
    weighs: weight piled on a single edge is no motif, nor is weight from the base of G2. Where the
    motifs are isomorphic and aligned, the share is 1. In the mix `lam G1 + (1 - lam) G2'` the motif
    then has the share `lam + (1 - lam) kept` of its weight.

    Args:
        M: assignments of B pairs `[n1, n2]`.
        left: G1 of every pair.
        right: G2 of every pair, of the same class.
    """
    E1, E2 = motif_edges(left), motif_edges(right)
    carried = (M @ E2 @ M.T).to_sparse().values_at(E1)
    kept, whole = (
        left.totals(weight, E1.row) for weight in (torch.minimum(carried, E1.weight), E1.weight)
    )
    return kept / whole
