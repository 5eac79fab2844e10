"""Solvers of the quadratic assignment problem by pygmtools, for small graphs: the affinity of all
candidates has `(n1 n2)^2` entries, 1 MB at 20 nodes each, 50 MB at 50.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import torch
from torch import Tensor

from smixup.errors import import_optional
from smixup.matching.assign import SolverMatcher
from smixup.matching.pairs import PairBlock
from smixup.matching.rrwm import node_affinity
from smixup.memory import require_room

BACKEND, MOST_STEPS, BYTES_PER_ENTRY = "pytorch", 50, 8


@dataclass
class SpectralMatching(SolverMatcher):
    """The leading eigenvector of the affinity (Leordeanu and Hebert 2005), made one-to-one by the
    Hungarian method; by itself it would send nearly every node to the node of the highest degree.
    """

    def solve(self, block: PairBlock) -> Tensor:
        X = block.x1.new_zeros(block.mask.shape)
        N = node_affinity(block).cpu()
        A1, A2 = block.A1.cpu(), block.A2.cpu()
        sizes = zip(block.mask1.sum(1).tolist(), block.mask2.sum(1).tolist(), strict=True)
        for p, (n1, n2) in enumerate(sizes):
            if n1 and n2:
                pair = N[p, :n1, :n2], A1[p, :n1, :n1], A2[p, :n2, :n2]
                X[p, :n1, :n2] = self.solve_pair(*pair)
        return X

    def solve_pair(self, N: Tensor, A1: Tensor, A2: Tensor) -> Tensor:
        """Return the matches of one pair `[n1, n2]`, given affinities of nodes and adjacencies."""
        n1, n2 = N.shape
        require_room(
            BYTES_PER_ENTRY * (n1 * n2) ** 2,
            f"the affinity of all matches of {n1} and {n2} nodes",
            "use the matcher rrwm, which does without",
        )
        pygm = import_optional("pygmtools", "pygmtools", "matching")
        scores = N  # without edges, a linear problem, hence solved exactly
        if A1.any() and A2.any():
            K = dense_affinity(N.double(), A1.double(), A2.double())
            scores = self.solve_affinity(pygm, K, n1, n2)
        matches: Tensor = pygm.hungarian(scores, backend=BACKEND)
        return matches

    def solve_affinity(self, pygm: ModuleType, K: Tensor, n1: int, n2: int) -> Tensor:
        """Return scores `[n1, n2]` of matches for the affinity K, to be rounded."""
        scores: Tensor = pygm.sm(K, n1, n2, max_iter=MOST_STEPS, backend=BACKEND)
        return scores


@dataclass
class IPFP(SpectralMatching):
    """Integer projected fixed point (Leordeanu et al. 2009): improves the match that
    `SpectralMatching` finds; from an even start it would stay in poor optima.
    """

    def solve_affinity(self, pygm: ModuleType, K: Tensor, n1: int, n2: int) -> Tensor:
        spectral = super().solve_affinity(pygm, K, n1, n2)
        start = pygm.hungarian(spectral, backend=BACKEND).unsqueeze(0)
        improved: Tensor = pygm.ipfp(K, n1, n2, x0=start, max_iter=MOST_STEPS, backend=BACKEND)
        return improved


def dense_affinity(N: Tensor, A1: Tensor, A2: Tensor) -> Tensor:
    """Return K of one pair, `[n2 n1, n2 n1]`; nodes of G1 run fastest."""
    return torch.kron(A2, A1) + N.T.flatten().diag()
