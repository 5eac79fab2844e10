"""Mixing as one would first write it: pair by pair, with dense matrices. The oracle of
`smixup.augment.mixing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from smixup.graphs import Graphs


@dataclass(frozen=True)
class DenseGraph:
    """One graph as matrices: `x [n, d]`, `A [n, n]`, `y [C]`."""

    x: Tensor
    A: Tensor
    y: Tensor


def dense_graphs(batch: Graphs) -> Iterator[DenseGraph]:
    """Yield the graphs of a batch as matrices."""
    adj = batch.adj.to_sparse()
    for graph, (a, b) in enumerate(pairwise(batch.ptr.tolist())):
        entries = slice(int(adj.row_ptr[a]), int(adj.row_ptr[b]))
        A = torch.zeros(b - a, b - a)
        A[adj.row[entries] - a, adj.column[entries] - a] = adj.weight[entries]
        x = batch.x[a:b].float()  # one-hot features are bytes
        yield DenseGraph(x, A, batch.y[graph])


def mix_pair(left: DenseGraph, right: DenseGraph, M: Tensor, lam: float) -> DenseGraph:
    """Return one mixed graph, Eq. (4) and (5), without self-loops from the transformed graph."""
    A2 = M @ right.A @ M.T
    A2 = A2 - torch.diag(A2.diagonal())
    return DenseGraph(
        lam * left.x + (1 - lam) * M @ right.x,
        lam * left.A + (1 - lam) * A2,
        lam * left.y + (1 - lam) * right.y,
    )


def mix_pairs(left: Graphs, right: Graphs, M: Sequence[Tensor], lam: Tensor) -> list[DenseGraph]:
    """Mix all pairs, one after the other."""
    pairs = zip(dense_graphs(left), dense_graphs(right), M, lam.tolist(), strict=True)
    return [mix_pair(*pair) for pair in pairs]
