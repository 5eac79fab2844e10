"""GeoMix (Zeng et al. 2024): graphs on approximate Gromov-Wasserstein geodesics.

A coupling T of two graphs splits their nodes: one node (i, j) for every entry of T that is not
zero, a copy of node i in the one graph and of node j in the other. Both graphs now have the same
nodes, are at distance zero from what they were, and lie on a geodesic, along which
`(1 - t) G1 + t G2` goes. There may be n1 n2 such nodes; here are r of them, averages instead of
copies, from a coupling `T = r Q^T R` of rank r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from smixup.augment.added_mixes import (
    AddedMixes,
    averages,
    draw_nearest,
    node_by_node,
    on_common_nodes,
)
from smixup.augment.mixing import interpolate, without_light_edges
from smixup.errors import require
from smixup.graphs import Graphs, Padding
from smixup.matching.fgw import Couplings, cheapest, descended, feature_cost
from smixup.matching.pairs import PairBlock, Pairs
from smixup.settings import Count, NotNegative, Share

EXACT_STEPS, ROUNDS = 5, 3
LEAST_WEIGHT, ROUNDING = 0.001, 1e-9  # of an edge in a mix


@dataclass
class GeoMix(AddedMixes):
    """Adds graphs on the ways from graphs to others of different classes and similar size, once.

    Attributes:
        per_pair: mixes made of each pair.
        low: least share of the second graph in a mix; shares are drawn uniformly.
        high: largest share of the second graph in a mix.
        nodes: number of nodes of a mix, r; the median size of the training graphs if None.
        structure_weight: how much the structure counts when graphs are coupled, from 0 (features
            alone) to 1.
    """

    amount: NotNegative = 1.0
    per_pair: Count = 10
    low: Share = 0.0
    high: Share = 0.05
    nodes: Count | None = None
    structure_weight: Share = 0.5

    purpose: ClassVar[str] = "geomix"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.low <= self.high, "low", self.low, "between 0 and high")

    @classmethod
    def as_published(cls, **changes: Any) -> Self:
        """Return the settings of the authors' code, with some changed: 20 nodes, and on larger
        graphs 40.
        """
        return cls(**{"nodes": 20, "structure_weight": 1.0} | changes)

    def mixes(self, graphs: Graphs, number: int) -> Graphs:
        pairs = math.ceil(number / self.per_pair)
        first, second = draw_nearest(graphs, pairs, self.random)
        again = torch.arange(number) % pairs
        u = torch.rand(number, generator=self.random)
        lam = 1 - (self.low + (self.high - self.low) * u)
        nodes = self.nodes or int(graphs.sizes.median())
        return self.mixed(graphs[first], graphs[second], lam, again, nodes)

    def mixed(self, left: Graphs, right: Graphs, lam: Tensor, pair: Tensor, nodes: int) -> Graphs:
        """Return mixes of pairs: mix k is of pair `pair[k]`, with the share `lam[k]` of the left
        graph, and of r `nodes`.
        """
        pairs = Pairs.of(left, right)
        Q, R = zip(*(self._factors(block, nodes) for block in pairs.blocks()), strict=True)
        ptr = nodes * torch.arange(len(left) + 1)
        rows = Padding.of(ptr, pairs.groups)
        P1, P2 = averages(Q, rows, pairs.rows), averages(R, rows, pairs.columns)
        first, second = (end[pair] for end in on_common_nodes(left, right, P1, P2, ptr))
        mixes = interpolate(first, second, lam)
        return without_light_edges(mixes, LEAST_WEIGHT)

    def _factors(self, block: PairBlock, nodes: int) -> tuple[Tensor, Tensor]:
        new = torch.ones(len(block.pairs), nodes, dtype=torch.bool)
        Q = node_by_node(block.mask1, new, block.A1.abs().sum(2))
        R = block.mask1.sum(1).view(-1, 1, 1) * Q @ self.coupled(block)
        return low_rank(self._problem(block), Q, R, new)

    def coupled(self, block: PairBlock) -> Tensor:
        """Return couplings of whole pairs `[b, N1, N2]`: with `n1 + n2 - 1` entries at most, where
        the nearest such one is no worse.
        """
        problem = self._problem(block)
        T = problem.solved(EXACT_STEPS)
        problem = problem.double()
        every = torch.ones(len(T), dtype=torch.bool)
        vertex = cheapest(problem.gradient(T), problem.mask1, problem.mask2, every)
        better = problem.distortion(vertex) <= problem.distortion(T) + ROUNDING
        return torch.where(better.view(-1, 1, 1), vertex, T)

    def _problem(self, block: PairBlock) -> Couplings:
        cost, masks = feature_cost(block.x1, block.x2), (block.mask1, block.mask2)
        return Couplings(cost, block.A1, block.A2, *masks, self.structure_weight)


def low_rank(problem: Couplings, Q: Tensor, R: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
    """Improve the factors of a coupling `T = r Q^T R`, `[b, r, N1]` and `[b, r, N2]`, in turn, by
    conditional gradients; `new [b, r]` tells which of the r slots hold a node.
    """
    r, problem = new.size(1), problem.double()

    def improved(problem: Couplings, Q: Tensor, R: Tensor) -> Tensor:
        def gradient(Q: Tensor) -> Tensor:
            return r * R @ problem.gradient(r * Q.mT @ R).mT

        def curvature(d: Tensor) -> Tensor:
            return -r * R @ problem.carried(r * d.mT @ R).mT / 2

        return descended(Q, gradient, curvature, (new, problem.mask1), EXACT_STEPS)

    for _ in range(ROUNDS):
        Q = improved(problem, Q, R)
        R = improved(problem.swapped(), R, Q)
    return Q, R
