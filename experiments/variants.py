"""S-Mixup as tables ask for it, and nobody else: what was tried, and another study's form of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup import SMixup
from smixup.augment.mixing import (
    Transport,
    mixed_targets,
    transform,
    whole_edges,
    without_light_edges,
)
from smixup.graphs import Graphs, Padding, SparseOperator, to_blocks
from smixup.graphs.padding import padded_graphs
from smixup.matching.pairs import Pairs

TINY = torch.finfo(torch.float).tiny
ROUNDING = 1e-9
DISTORTION = "distortion of a pair"


@dataclass
class Adaptive(SMixup):
    """A range of lambda for every pair (the future work of Sec. 5.2): [0.5 + distortion / 2, 1] in
    place of [0.5, 1]. The less of G2 arrives in G2', the less of it is mixed in.
    """

    def carry(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        moved = super().carry(M, left, right)
        lost = {DISTORTION: distortion(M, left, right)}
        return moved.replace(graph_attrs={**moved.graph_attrs, **lost})

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        narrower = torch.lerp(lam, torch.ones_like(lam), moved.graph_attrs[DISTORTION])
        return super().mix(left, moved, narrower)


@dataclass
class Study(SMixup):
    """The mixes of the public code that ICML 2026's study trained on: edges below 0.1 are dropped,
    and a model without weights (`whole`), such as PyG's GIN, takes the others for whole ones.
    """

    whole: bool = False

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        mixed = without_light_edges(super().mix(left, moved, lam), 0.1)
        return whole_edges(mixed) if self.whole else mixed


@dataclass
class LabelAlone(SMixup):
    """A control: the first graph as it is, with the label of the mix."""

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        return left.replace(**mixed_targets(left, moved, lam))


@dataclass(frozen=True)
class BalancedTransport(Transport):
    """`A2' = s M A2 M^T`, `X2' = s M X2` with `s = n1 / n2`: means are kept instead of totals.

    With `normalization="sinkhorn"`, a feature that all nodes of G2 share stays as it is, and a node
    has the average degree of those it stands for.
    """

    name: ClassVar[str] = "balanced"

    def __call__(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        s = (left.sizes / right.sizes.clamp(min=1)).to(torch.float)[left.batch]
        moved = transform(M, left, right)
        return moved.replace(x=s.unsqueeze(1) * moved.x, adj=s * moved.adj)


@dataclass
class Balanced(SMixup):
    """S-Mixup by balanced transport; of graphs without further attributes."""

    transport: str | Transport = BalancedTransport()


def distortion(M: SparseOperator, left: Graphs, right: Graphs) -> Tensor:
    """Estimate how far G2' is from G2, `[B]` in [0, 1].

    G2 is reduced to what sets its edges and nodes apart, `A = A2 - c (J - I)` and `X = X2 - mean`,
    with c its mean edge weight, and carried over: `A' = M A M^T` without its diagonal, `X' = M X`.
    Along M, which says how much of node j is at i, the two differ by the fused Gromov-Wasserstein
    cost

        cost = sum_ijkl M_ij M_kl (A'_ik - A_jl)^2 + sum_ij M_ij |X'_i - X_j|^2
             = |A|^2 + |X|^2 + sum_ik r_i r_k A'_ik^2 + sum_i r_i |X'_i|^2 - 2 (|A'|^2 + |X'|^2),

    where r are the row sums of M; `1 - distortion = sqrt(1 - cost / terms)` with the first four
    terms, which would be all if nothing met its like. Columns that do not sum to one are scaled.
    """
    pairs = Pairs.of(left, right)
    rows, columns = pairs.rows, pairs.columns
    blocks = to_blocks(M, rows, columns)
    shares = [each / each.sum(1, keepdim=True).clamp(min=TINY) for each in blocks]
    graphs = list(padded_graphs(right, columns))
    apart = [(_edges_apart(A, mask), _nodes_apart(X, mask)) for X, A, mask in graphs]
    carried = [_carried(share, *graph) for share, graph in zip(shares, apart, strict=True)]
    sent = _totals([_squares(A, X) for A, X in apart], columns, right)
    whole = _totals([_squares(A, X) for X, A, _ in graphs], columns, right)
    arrived = _totals([_squares(A, X) for A, X in carried], rows, left)
    piled = _totals(
        [_piled(share, *graph) for share, graph in zip(shares, carried, strict=True)],
        rows,
        left,
    )
    kept = torch.where(sent > ROUNDING * whole, 2 * arrived / (sent + piled), 1.0)
    return 1 - kept.clamp(0, 1).sqrt()


def _edges_apart(A2: Tensor, mask: Tensor) -> Tensor:
    """Return `A2 - c (J - I)` on the nodes that exist, `[b, N, N]`."""
    others = (mask.unsqueeze(1) & mask.unsqueeze(2)).to(A2.dtype)
    others.diagonal(dim1=1, dim2=2).zero_()
    total, number = A2.sum((1, 2), keepdim=True), others.sum((1, 2), keepdim=True)
    return A2 - total / number.clamp(min=1) * others


def _nodes_apart(X2: Tensor, mask: Tensor) -> Tensor:
    """Return `X2 - mean` on the nodes that exist, `[b, N, d]`."""
    exists = mask.unsqueeze(2)
    mean = X2.sum(1, keepdim=True) / exists.sum(1, keepdim=True).clamp(min=1)
    return torch.where(exists, X2 - mean, 0.0)


def _carried(M: Tensor, A: Tensor, X: Tensor) -> tuple[Tensor, Tensor]:
    """Return `M A M^T` without its diagonal, and `M X`."""
    carried = M @ A @ M.transpose(1, 2)
    carried.diagonal(dim1=1, dim2=2).zero_()
    return carried, M @ X


def _squares(A: Tensor, X: Tensor) -> Tensor:
    """Return the squares of every node's edges and features, `[b, N]`."""
    return A.square().sum(2) + X.square().sum(2)


def _piled(M: Tensor, A: Tensor, X: Tensor) -> Tensor:
    """Return the squares, weighted by how much there is at both ends of an edge, or at a node,
    `[b, N]`.
    """
    r = M.sum(2)
    return r * ((A.square() @ r.unsqueeze(2)).squeeze(2) + X.square().sum(2))


def _totals(rows: Sequence[Tensor], padding: Padding, batch: Graphs) -> Tensor:
    """Add up numbers of nodes `[b, N]` graph by graph, `[B]`."""
    nodes = padding.unpad([each.unsqueeze(2) for each in rows]).squeeze(1)
    return batch.totals(nodes)
