"""Fused Gromov-Wasserstein couplings (Vayer et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from smixup.matching.assign import SolverMatcher
from smixup.matching.couplings import Couplings, feature_cost
from smixup.matching.pairs import PairBlock
from smixup.ranges import Share, Steps


@dataclass
class FusedGromovWasserstein(SolverMatcher):
    """Carries the nodes of G2 to those of G1, each as heavy as the others of its graph, at the
    least distortion.

    Distortion is the squared distance of features plus the squared difference of adjacencies.
    Adjacencies, not shortest paths: they exist for graphs in parts and for weighted edges, and on
    MOTIF more of a motif lands on a motif (46 % against 38 %; 33 % by chance), though shortest
    paths find twice as many nodes of a shuffled copy. The coupling has equal column sums, so
    dividing by them keeps it; few entries are not zero. Equal optima are told apart by the order of
    nodes.

    Attributes:
        structure_weight: alpha, from 0 (features alone) to 1 (structure alone).
        max_iter: exact steps at most, after those that all pairs take together.
    """

    structure_weight: Share = 0.5
    max_iter: Steps = 4

    def solve(self, block: PairBlock) -> Tensor:
        x1, A1, mask1 = (part.cpu() for part in (block.x1, block.A1, block.mask1))
        x2, A2, mask2 = (part.cpu() for part in (block.x2, block.A2, block.mask2))
        cost = feature_cost(x1, x2)
        couplings = Couplings(cost, A1, A2, mask1, mask2, self.structure_weight)
        return couplings.solved(self.max_iter).to(block.x1)
