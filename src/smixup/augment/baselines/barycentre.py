"""Fused Gromov-Wasserstein barycentres of pairs of graphs (Vayer et al. 2019, Eq. 5), many at once.

The barycentre of G1 and G2 at lambda is the graph G' on given many nodes that minimises

    lam FGW(G', G1) + (1 - lam) FGW(G', G2).

For given couplings S1 and S2 of its nodes with those of G1 and G2 it is an average, and for given
G' the couplings are those of least distortion: each is found in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.augment.common_nodes import node_by_node
from smixup.matching.couplings import Couplings, feature_cost, masses

EXACT_STEPS = 5
"""Of conditional gradients, each time."""
RELAXED_STEPS = 10
MEETING_EVENLY = 0.1
"""Share of a coupling that is made even before proximal steps, which cannot leave a zero."""


@dataclass(frozen=True)
class Side:
    """One graph of each of `b` pairs, padded.

    Attributes:
        x: features `[b, n, d]`.
        C: structure `[b, n, n]`.
        mask: which slots hold a node `[b, n]`.
    """

    x: Tensor
    C: Tensor
    mask: Tensor

    def with_(self, other: Side, alpha: float) -> Couplings:
        """Return the problem of coupling its graphs with those of another side."""
        cost = feature_cost(self.x, other.x)
        return Couplings(cost, self.C, other.C, self.mask, other.mask, alpha)


@dataclass(frozen=True)
class Barycentres:
    """The barycentres of `b` pairs.

    Attributes:
        side: the graphs themselves.
        couplings: S1 and S2, `[b, N, n1]` and `[b, N, n2]`.
        distances: FGW to G1 and to G2, `[b]` each.
    """

    side: Side
    couplings: tuple[Tensor, Tensor]
    distances: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class BarycentreSolver:
    """How barycentres are found.

    Attributes:
        alpha: how much the structure counts, from 0 to 1.
        rounds: how often couplings and average are found in turn, at most.
        relaxed: find couplings by proximal steps with single scalings, instead of exact steps.
        tolerance: it ends before if structure and features change by less than this share.
    """

    alpha: float
    rounds: int
    relaxed: bool
    tolerance: float = 5e-4

    def __call__(self, left: Side, right: Side, lam: Tensor, nodes: Tensor) -> Barycentres:
        """Return the barycentres at lambda `[b]` of `nodes [b]` nodes each.

        G1 is where it starts: choose it as the nearer one, lambda one half or more.
        """
        mask = torch.arange(int(nodes.max())) < nodes.unsqueeze(1)
        S1, S2 = self._start(left, right, mask)
        side = average((S1, S2), (left, right), lam, mask)
        for _ in range(self.rounds):
            S1 = self._coupled(side.with_(left, self.alpha), S1)
            S2 = self._coupled(side.with_(right, self.alpha), S2)
            before, side = side, average((S1, S2), (left, right), lam, mask)
            if not _changed(before, side, self.tolerance):
                break
        d1 = side.with_(left, self.alpha).distortion(S1)
        d2 = side.with_(right, self.alpha).distortion(S2)
        return Barycentres(side, (S1, S2), (d1, d2))

    def _start(self, left: Side, right: Side, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Take G1, node by node, and G2 as it is coupled with G1."""
        pair = left.with_(right, self.alpha)
        even = pair.even()
        between = pair.relaxed(even) if self.relaxed else pair.solved(EXACT_STEPS)
        S1 = node_by_node(left.mask, mask, left.C.abs().sum(2)).to(left.x)
        return S1, left.mask.sum(1).view(-1, 1, 1) * S1 @ between

    def _coupled(self, problem: Couplings, S: Tensor) -> Tensor:
        if not self.relaxed:
            return problem.descended(S, EXACT_STEPS)
        even = problem.p.unsqueeze(2) * problem.q.unsqueeze(1)
        found = problem.relaxed(torch.lerp(S, even, MEETING_EVENLY), RELAXED_STEPS, scalings=1)
        better = problem.distortion(found) < problem.distortion(S)
        return torch.where(better.view(-1, 1, 1), found, S)


def average(couplings: Sequence[Tensor], sides: Sequence[Side], lam: Tensor, mask: Tensor) -> Side:
    """Return the graphs that are nearest to both sides, given how their nodes meet."""
    share = lam.view(-1, 1, 1).to(sides[0].x)
    scale = masses(mask, share.dtype).unsqueeze(2).clamp(min=1e-30)
    P1, P2 = (torch.where(mask.unsqueeze(2), S / scale, 0.0) for S in couplings)
    left, right = sides
    x = share * (P1 @ left.x) + (1 - share) * (P2 @ right.x)
    C = share * (P1 @ left.C @ P1.mT) + (1 - share) * (P2 @ right.C @ P2.mT)
    return Side(x, C, mask)


def _changed(before: Side, after: Side, tolerance: float) -> bool:
    """Whether any graph has changed by more than a share of itself."""
    parts = ((before.x, after.x), (before.C, after.C))
    return any(
        bool(((a - b).flatten(1).norm(dim=1) > tolerance * b.flatten(1).norm(dim=1)).any())
        for a, b in parts
    )
