"""An adaptive range of lambda (the future work of Sec. 5.2): the less of G2 arrives in G2', the less of it is mixed in.

Theorem 1 says that a mix is off by at most a multiple of `(1 - lam) GED(G2, G2')`. The paper keeps this small by
lambda >= 1/2 for all pairs alike. Here every pair has a range of its own, `[1/2 + distortion / 2, 1]`, with a cheap
estimate in place of the edit distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from smixup.graphs import BlockOperator, GraphBatch, Operator, Padding
from smixup.matching.pairs import Pairs

Estimate: TypeAlias = Callable[[Operator, GraphBatch, GraphBatch], Tensor]
TINY = torch.finfo(torch.float).tiny


def distortion(M: Operator, left: GraphBatch, right: GraphBatch) -> Tensor:
    """Estimate how far G2' is from G2, `[B]` in [0, 1].

    G2 is reduced to what sets its edges and nodes apart, `A = A2 - c (J - I)` and `X = X2 - mean`, with c its mean edge
    weight. Let `N = D^(-1/2) M`, where D are the row sums of M, whose columns sum to one. Then

        1 - distortion = sqrt((|N A N^T|^2 + |N X|^2) / (|A|^2 + |X|^2)).

    N shortens what it carries, or leaves its length: `N^T N` is doubly stochastic, the probability that a node of G2
    is sent to G1 and comes back as another. So the fraction is the share of G2 that is found again when G2' is carried
    back, and the root is the share that arrives one way. Edges and features weigh as in the edit distance.

    An assignment that gives every node of G2 a node of its own has distortion 0, a uniform one 1. A graph without
    structure, complete or empty with features all alike, cannot be distorted.

    Note:
        G1 is not asked. Nodes matched one to one in random order carry G2 over perfectly, onto the wrong nodes.

    Args:
        M: assignments of B pairs `[n1, n2]`; columns that do not sum to one are scaled.
        left: G1, for its sizes alone.
        right: G2.
    """
    blocks = _in_blocks(M, left, right)
    A2 = BlockOperator.from_sparse(right.adj.to_sparse(), blocks.columns, blocks.columns)
    sides = zip(A2.blocks, blocks.columns.pad(right.x), blocks.columns.masks(), strict=True)
    graphs = [(_edges_apart(A, mask), _nodes_apart(X, mask)) for A, X, mask in sides]
    carried = [_carried(each, *graph) for each, graph in zip(blocks.blocks, graphs, strict=True)]
    arrived = _squares(carried, blocks.rows, left)
    sent = _squares(graphs, blocks.columns, right)
    kept = torch.where(sent > TINY, arrived / sent.clamp(min=TINY), 1.0)
    return 1 - kept.clamp(0, 1).sqrt()


def ignored(M: Operator, left: GraphBatch, right: GraphBatch) -> Tensor:
    """Return zeros `[B]`: every pair has the paper's range."""
    return right.y.new_zeros(len(right))


def narrowed(lam: Tensor, distortion: Tensor) -> Tensor:
    """Move ratios towards one: of a range `[low, 1]` the part `[low + (1 - low) distortion, 1]` remains, `[B]`."""
    return torch.lerp(lam, torch.ones_like(lam), distortion)


def _in_blocks(M: Operator, left: GraphBatch, right: GraphBatch) -> BlockOperator:
    if isinstance(M, BlockOperator):
        return M
    pairs = Pairs.of(left, right)
    return BlockOperator.from_sparse(M.to_sparse(), pairs.rows, pairs.columns)


def _edges_apart(A2: Tensor, mask: Tensor) -> Tensor:
    """Return `A2 - c (J - I)` on the nodes that exist, `[b, N, N]`."""
    others = (mask.unsqueeze(1) & mask.unsqueeze(2)).to(A2.dtype)
    others.diagonal(dim1=1, dim2=2).zero_()
    total, number = A2.sum((1, 2), keepdim=True), others.sum((1, 2), keepdim=True)
    return A2 - total / number.clamp(min=1) * others


def _nodes_apart(X2: Tensor, mask: Tensor) -> Tensor:
    """Return `X2 - mean` on the nodes that exist, `[b, N, d]`."""
    exists = mask.unsqueeze(2)
    mean = torch.where(exists, X2, 0.0).sum(1, keepdim=True) / exists.sum(1, keepdim=True).clamp(min=1)
    return torch.where(exists, X2 - mean, 0.0)


def _carried(M: Tensor, A: Tensor, X: Tensor) -> tuple[Tensor, Tensor]:
    """Return `N A N^T` and `N X`."""
    share = M / M.sum(1, keepdim=True).clamp(min=TINY)
    N = share / share.sum(2, keepdim=True).clamp(min=TINY).sqrt()
    return N @ A @ N.transpose(1, 2), N @ X


def _squares(parts: Sequence[tuple[Tensor, Tensor]], padding: Padding, batch: GraphBatch) -> Tensor:
    """Add up the squares of edges `[b, N, N]` and features `[b, N, d]` graph by graph, `[B]`."""
    rows = [(A.square().sum(2) + X.square().sum(2)).unsqueeze(2) for A, X in parts]
    return batch.y.new_zeros(len(batch)).index_add_(0, batch.batch, padding.unpad(rows).squeeze(1))
