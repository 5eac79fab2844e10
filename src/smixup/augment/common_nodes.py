"""Two graphs on common nodes, and mixed there: what optimal transport makes of a pair.

Every common node is an average of nodes of G1, and one of nodes of G2:

    X' = lam P1 X1 + (1 - lam) P2 X2        A' = lam P1 A1 P1^T + (1 - lam) P2 A2 P2^T

with rows of P1 and P2 that sum to one. That is Eq. (4) and (5) with both graphs carried; S-Mixup
leaves G1 where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.augment.mixing import interpolate, transform
from smixup.graphs import Graphs, Padding, SparseOperator, from_blocks
from smixup.graphs.ragged import offsets
from smixup.matching.couplings import masses, with_sums
from smixup.matching.pairs import Pairs


@dataclass(frozen=True)
class CommonNodes:
    """The common nodes of B pairs.

    Attributes:
        P1: `[n', n1]`, from the nodes of G1 to the common ones.
        P2: `[n', n2]`, from those of G2.
        ptr: `[B + 1]`, where the common nodes of each pair begin.
    """

    P1: SparseOperator
    P2: SparseOperator
    ptr: Tensor

    @classmethod
    def coupled(
        cls, pairs: Pairs, sizes: Tensor, couplings: Sequence[tuple[Tensor, Tensor]]
    ) -> CommonNodes:
        """Take the couplings of the common nodes with G1 and with G2, `[b, N, N1]` and
        `[b, N, N2]`, one of each per bucket of pairs; `sizes [B]` are the common nodes of each.
        """
        ptr = offsets(sizes)
        rows = Padding.of(ptr, pairs.groups)
        firsts, seconds = zip(*couplings, strict=True)
        P1 = from_blocks([*map(_averages, firsts)], rows, pairs.rows)
        return cls(P1, from_blocks([*map(_averages, seconds)], rows, pairs.columns), ptr)

    def mixed(
        self, left: Graphs, right: Graphs, lam: Tensor, label_share: Tensor | None = None
    ) -> Graphs:
        """Return the mixes; see `interpolate` for lambda `[B]` and the share of G1 in the label."""
        return interpolate(*self.ends(left, right), lam, label_share)

    def ends(self, left: Graphs, right: Graphs) -> tuple[Graphs, Graphs]:
        """Return both graphs of every pair on their common nodes.

        Attributes of nodes that are not numbers are those of the node of G1 that has most of a
        common node.
        """
        frame = left.replace(
            ptr=self.ptr,
            node_attrs={name: self._own(values) for name, values in left.node_attrs.items()},
        )
        first, second = transform(self.P1, frame, left), transform(self.P2, frame, right)
        return first.replace(set_id=""), second.replace(set_id="")

    def _own(self, values: Tensor) -> Tensor:
        """Return an attribute of the nodes of G1 for the common nodes."""
        P = self.P1
        most = P.weight.new_zeros(P.shape[0]).scatter_reduce_(0, P.row, P.weight, "amax")
        chosen = P.weight == most[P.row]
        first = P.row.new_full((P.shape[0],), P.num_columns - 1)
        return values[first.scatter_reduce_(0, P.row[chosen], P.column[chosen], "amin")]


def _averages(coupling: Tensor) -> Tensor:
    """Return a coupling `[b, N, n]` with rows that sum to one, zero where there is no node."""
    total = coupling.sum(2, keepdim=True)
    return torch.where(total > 0, coupling / total.clamp(min=1e-30), 0.0).float()


def node_by_node(mask: Tensor, new: Tensor, importance: Tensor) -> Tensor:
    """Return a coupling of common nodes with those of a graph, `[b, N, n]`, to start from: in
    stored order each meets one node, as long as there are any; what is left meets evenly.

    `mask [b, n]` and `new [b, N]` tell which slots hold a node. Where a graph has more nodes, the
    most important ones meet one.
    """
    order = torch.where(mask, importance, -torch.inf).argsort(dim=1, descending=True, stable=True)
    rank = order.argsort(dim=1)
    chosen = mask & (rank < new.sum(1, keepdim=True))
    slot = chosen.cumsum(1) - 1
    p, q = masses(new, torch.double), masses(mask, torch.double)
    meets = chosen.unsqueeze(1) & (slot.unsqueeze(1) == torch.arange(new.size(1)).view(1, -1, 1))
    return with_sums(meets * torch.minimum(p.unsqueeze(2), q.unsqueeze(1)), p, q)
