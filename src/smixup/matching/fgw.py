"""Fused Gromov-Wasserstein couplings (Vayer et al. 2019), by POT."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.matching.pairs import PairBlock
from smixup.matching.pairwise import PairwiseMatcher
from smixup.optional import import_optional
from smixup.ranges import Share, Steps


@dataclass
class FusedGromovWasserstein(PairwiseMatcher):
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
        max_iter: steps of the conditional gradient at most.
    """

    structure_weight: Share = 0.5
    max_iter: Steps = 200

    def solve(self, pair: PairBlock) -> Tensor:
        gromov = import_optional("ot.gromov", "POT", "matching")
        x1, A1, x2, A2 = (part[0].double() for part in (pair.x1, pair.A1, pair.x2, pair.A2))
        cost = torch.cdist(x1, x2, compute_mode="donot_use_mm_for_euclid_dist").square()
        coupling = gromov.fused_gromov_wasserstein(
            cost.numpy(),
            A1.numpy(),
            A2.numpy(),
            alpha=self.structure_weight,
            max_iter=self.max_iter,
        )
        return torch.from_numpy(coupling)
