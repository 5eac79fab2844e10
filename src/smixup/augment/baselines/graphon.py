"""Graphons: what the graphs of one class have in common, once their nodes are sorted by degree (Han et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import GraphSet
from smixup.graphs.ragged import ranks


@dataclass(frozen=True)
class Graphon:
    """The generator of one class on N positions.

    Attributes:
        probability: `[N, N]`, of an edge between two positions.
        x: `[N, d]`, mean features by position.
        weight: mean weight of an edge.
        y: `[C]`, the target of its class.
    """

    probability: Tensor
    x: Tensor
    weight: Tensor
    y: Tensor

    def mixed(self, other: Graphon, lam: Tensor) -> Graphon:
        """Return `lam * self + (1 - lam) * other` in everything."""
        return Graphon(
            torch.lerp(other.probability, self.probability, lam),
            torch.lerp(other.x, self.x, lam),
            torch.lerp(other.weight, self.weight, lam),
            torch.lerp(other.y, self.y, lam),
        )


def estimate_graphon(graphs: GraphSet, positions: int, block: int, threshold: float) -> Graphon:
    """Estimate the graphon of graphs of one class.

    Args:
        graphs: G graphs.
        positions: N; nodes are sorted by degree, the highest first, and those beyond the N-th are left out.
        block: positions averaged over in both directions; 1 leaves them apart.
        threshold: singular values below `threshold * sqrt(N)` are set to zero; 0 leaves them all.
    """
    rank = ranks(graphs.ptr, -graphs.adj.row_sums())
    average = aligned_mean(graphs, rank, positions)
    probability = singular_value_threshold(block_average(average, block), threshold)
    weight = graphs.adj.weight.mean() if graphs.adj.weight.numel() else torch.ones(())
    return Graphon(probability, mean_features(graphs, rank, positions), weight, graphs.y.mean(0))


def aligned_mean(graphs: GraphSet, rank: Tensor, positions: int) -> Tensor:
    """Return the share of graphs with an edge between two positions, `[N, N]`, without self-loops."""
    row, column = rank[graphs.adj.row], rank[graphs.adj.column]
    inside = (row < positions) & (column < positions) & (row != column)
    counts = torch.bincount(row[inside] * positions + column[inside], minlength=positions**2)
    return counts.view(positions, positions) / len(graphs)


def block_average(matrix: Tensor, block: int) -> Tensor:
    """Replace each entry of `[N, N]` by the mean over its block, in which the diagonal does not count."""
    positions = matrix.size(0)
    member = (torch.arange(positions) // block).unsqueeze(1) == torch.arange(-(-positions // block))
    spread, off = member.to(matrix.dtype), 1 - torch.eye(positions)
    total, number = spread.T @ (matrix * off) @ spread, spread.T @ off @ spread
    return spread @ (total / number.clamp(min=1)) @ spread.T


def singular_value_threshold(matrix: Tensor, threshold: float) -> Tensor:
    """Rebuild `[N, N]` from its large singular values, within [0, 1] (USVT, Chatterjee 2015)."""
    u, values, vt = torch.linalg.svd(matrix)
    kept = torch.where(values >= threshold * matrix.size(0) ** 0.5, values, 0)
    rebuilt: Tensor = (u * kept) @ vt
    return rebuilt.clamp(0, 1).fill_diagonal_(0)


def mean_features(graphs: GraphSet, rank: Tensor, positions: int) -> Tensor:
    """Return the mean features of the nodes at each position, `[N, d]`; zero where no graph has a node."""
    inside = rank < positions
    total = torch.zeros(positions, graphs.num_features).index_add_(0, rank[inside], graphs.x[inside].float())
    return total / torch.bincount(rank[inside], minlength=positions).clamp(min=1).unsqueeze(1)
