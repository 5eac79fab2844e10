"""How much of a motif is kept when one graph is carried onto another."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator


def motif_kept(M: SparseOperator, left: Graphs, right: Graphs) -> Tensor:
    """Return the share of the motif that is kept when G2 is carried onto G1, `[B]`: with E1 and E2
    the edges within the motifs, `sum of min(M E2 M^T, E1) / sum of E1`.

    Weight piled on a single edge is no motif, nor is weight from the base of G2. Where the motifs
    are isomorphic and aligned, the share is 1.
    """
    E1, E2 = _motif_edges(left), _motif_edges(right)
    carried = (M @ E2 @ M.T).values_at(E1)
    kept = left.totals(torch.minimum(carried, E1.weight), E1.row)
    return kept / left.totals(E1.weight, E1.row)


def _motif_edges(graphs: Graphs) -> SparseOperator:
    if graphs.motif is None:
        raise SmixupError("these graphs have no known motif: use MOTIF.")
    adj = graphs.adj
    return adj.mask_entries(graphs.motif[adj.row] & graphs.motif[adj.column])
